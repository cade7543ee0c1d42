//! Independent jobs, as many at once as the machine has cores.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Does a job with each of the items and gives the results in the order of the items.
pub(crate) fn each<T: Sync, R: Send>(items: &[T], job: impl Fn(&T) -> R + Sync) -> Vec<R> {
    some_at_once(thread::available_parallelism().map_or(1, NonZero::get), items, job)
}

/// The same, with so many at once.
pub(crate) fn some_at_once<T: Sync, R: Send>(
    workers: usize,
    items: &[T],
    job: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(items.len()));
    thread::scope(|scope| {
        for _ in 0..workers.min(items.len()) {
            scope.spawn(|| {
                while let Some((index, item)) = take(items, &next) {
                    let result = job(item);
                    results.lock().expect("no worker panics with the lock held").push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no worker panics with the lock held");
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

fn take<'a, T>(items: &'a [T], next: &AtomicUsize) -> Option<(usize, &'a T)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    items.get(index).map(|item| (index, item))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn results_stand_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..100).collect();
        // The first are the last to end.
        let job = |&item: &usize| {
            for _ in 0..(100 - item) * 1000 {
                std::hint::spin_loop();
            }
            item * 2
        };
        assert_eq!(each(&items, job), (0..100).map(|item| item * 2).collect::<Vec<_>>());
    }

    #[test]
    fn no_more_are_done_at_once_than_asked_for() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        some_at_once(2, &[(); 8], |()| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(20));
            now.fetch_sub(1, Ordering::SeqCst);
        });
        assert_eq!(most.into_inner(), 2);
    }

    #[test]
    fn nothing_to_do_is_nothing_done() {
        assert!(each(&[], |item: &u8| *item).is_empty());
    }
}
