# Messages: how many file descriptors come in each of their groups


class Group:
    """File descriptors: how many the declaration allows, and what says how many."""

    def __init__(
        self,
        name: str,
        least: int,
        most: int,
        *,
        count: Number | None = None,
        present: Rule | None = None,
    ) -> None:
        self.name = name
        self.least = least
        self.most = most
        self.count = count
        self.present = present

    def numbers(self, draft: _typing.Any, contract: str) -> tuple[int, int]:
        """The least and the greatest number, given the parts."""
        if self.present is not None:
            is_there = self.present.verdict(draft, 0)
            if is_there is None:
                found = self.present.shown(draft, 0)
                expected = f"a file descriptor only when {self.present.text}"
                place = (contract, self.name, 0)
                raise WireError(Code.CONDITION_VIOLATED, *place, expected, found)
            return int(is_there), int(is_there)
        if self.count is not None:
            number = self.count.of(draft)
            if number is None or not self.least <= number <= self.most:
                expected = fd_words(self.least, self.most)
                place = (contract, self.name, 0)
                raise WireError(Code.FD_COUNT, *place, expected, number)
            return number, number
        return self.least, self.most


def split_fds(
    groups: tuple[Group, ...], draft: Draft, found: int, contract: str
) -> tuple[int, ...]:
    """How many file descriptors each group has, of so many that came."""
    numbers = [group.numbers(draft, contract) for group in groups]
    least = sum(low for low, _ in numbers)
    most = sum(high for _, high in numbers)
    if not least <= found <= most:
        expected = fd_words(least, most)
        raise WireError(Code.FD_COUNT, contract, "", 0, expected, found)
    # One group at most is not exact: it takes what the others leave.
    return tuple(low if low == high else low + found - least for low, high in numbers)


def check_groups(groups: tuple[Group, ...], draft: Draft, contract: str) -> None:
    """Refuse groups that have other numbers of file descriptors than the parts say."""
    numbers = [group.numbers(draft, contract) for group in groups]
    for group, (low, high), found in zip(groups, numbers, draft.counts, strict=True):
        if not low <= found <= high:
            expected = fd_words(low, high)
            raise WireError(Code.FD_COUNT, contract, group.name, 0, expected, found)
