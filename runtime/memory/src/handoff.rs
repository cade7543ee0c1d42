//! Framed messages and the file descriptors that ride on them, over Unix sockets.
