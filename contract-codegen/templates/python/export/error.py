# What calls into a library give back


if _typing.TYPE_CHECKING:
    _CallBase = RuntimeError
else:
    _CallBase = _package_error("CallError", RuntimeError)


class CallError(_CallBase):
    """A call that a library refused, or that failed in it."""

    code: Code
    """What is wrong."""
    detail: int
    """The library's own number; 0 where it gives none."""
    function: str
    """The function's name in C."""
    argument: str
    """The argument that is refused; empty where it is none."""
    message: str
    """What the library says."""

    def __init__(
        self, code: Code, detail: int, function: str, argument: str, message: str
    ) -> None:
        # Not the base's own: it may be of another version.
        RuntimeError.__init__(self, code, detail, function, argument, message)
        self.code = code
        self.detail = detail
        self.function = function
        self.argument = argument
        self.message = message

    def __str__(self) -> str:
        text = f"{self.function}: {self.code.name.lower()}"
        if self.detail:
            text += f" ({self.detail})"
        return f"{text}: {self.message}" if self.message else text


def code_of(number: int) -> Code:
    """The code; one without a name where the library is newer than this file."""
    known = Code._value2member_map_.get(number)
    if known is not None:
        return _typing.cast("Code", known)
    code = int.__new__(Code, number)
    code._name_ = f"CODE_{number}"
    code._value_ = number
    return code
