# Rules: conditions across fields, over exact integers


def ranged(number: int) -> int:
    """A number that a rule can compute with; what is beyond violates the rule."""
    if -(2**63) <= number < 2**64:
        return number
    raise OverflowError


def quotient(left: int, right: int) -> int:
    """Division that truncates toward zero."""
    if not right:
        raise ZeroDivisionError
    number = abs(left) // abs(right)
    return ranged(number if (left < 0) == (right < 0) else -number)


def remainder(left: int, right: int) -> int:
    """What division leaves, with the sign of the dividend."""
    if not right:
        raise ZeroDivisionError
    number = abs(left) % abs(right)
    return -number if left < 0 else number


def carried(value: _T | None) -> _T:
    """What a value of an enumeration carries; one without a name carries nothing."""
    if value is None:
        raise ArithmeticError
    return value


def number_of(value: int | str) -> int | None:
    """The number of an enumeration's value, where it has one."""
    return None if isinstance(value, str) else int(value)


def product_of(values: _abc.Iterable[int]) -> int | None:
    """The product of numbers, one by one, unless it leaves the range."""
    product = 1
    for value in values:
        product *= value
        if not -(2**63) <= product < 2**64:
            return None
    return product


def least_of(values: _abc.Iterable[int]) -> int | None:
    """The least of numbers, where there are any."""
    return min(values, default=None)


def data_of(table: _abc.Mapping[int, _T], value: object) -> _T | None:
    """What a value of an open enumeration carries, where it has a name."""
    return _typing.cast("_abc.Mapping[object, _T]", table).get(value)


class Rule:
    """A condition across fields: what it reads of a value, and whether that holds."""

    def __init__(
        self,
        text: str,
        names: tuple[str, ...],
        operands: _abc.Callable[[_typing.Any, int], tuple[_typing.Any, ...]],
        holds: _abc.Callable[..., bool],
        at_import: bool = False,
    ) -> None:
        self.text = text
        self.names = names
        self.operands = operands
        self.holds = holds
        self.at_import = at_import

    def verdict(self, value: _typing.Any, fd_count: int) -> bool | None:
        """Whether it holds; None when that cannot be computed."""
        try:
            return self.holds(*self.operands(value, fd_count))
        except ArithmeticError:
            return None

    def shown(self, value: _typing.Any, fd_count: int) -> str | None:
        """The values of what it reads, for an error; None when it reads nothing."""
        found = zip(self.names, self.operands(value, fd_count), strict=True)
        texts = [f"{name} = {_operand(it)}" for name, it in list(found)[:5]]
        return ", ".join(texts) or None


def _operand(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:d}" if isinstance(value, int) else str(value)


class Condition:
    """A condition on the presence of a key, or on the use of a descriptor's field."""

    def __init__(
        self,
        field: str,
        is_used: _abc.Callable[[_typing.Any], bool],
        rule: Rule,
        expected: str,
        is_required: bool = False,
    ) -> None:
        self.field = field
        self.is_used = is_used
        self.rule = rule
        self.expected = expected
        self.is_required = is_required
        """Whether the rule asks for the key; it permits it otherwise."""

    def holds(self, value: _typing.Any, fd_count: int) -> bool:
        """Whether the key is there as the rule says."""
        if self.is_required:
            return self.is_used(value) or self.rule.verdict(value, fd_count) is False
        return not self.is_used(value) or self.rule.verdict(value, fd_count) is True


def used_key(attribute: str) -> _abc.Callable[[_typing.Any], bool]:
    """Whether an optional key is there."""
    return lambda value: getattr(value, attribute) is not None


def used_bits(attribute: str) -> _abc.Callable[[_typing.Any], bool]:
    """Whether a descriptor's field is other than zero or empty."""
    return lambda value: has_bits(getattr(value, attribute))


def has_bits(value: object) -> bool:
    """Whether a descriptor's field is other than zero; a counted one, than empty."""
    if isinstance(value, float):
        return value != 0 or _math.copysign(1, value) < 0
    if isinstance(value, tuple | bytes):
        return any(has_bits(item) for item in value)
    if isinstance(value, int | str):
        return bool(value)
    return any(_typing.cast("_typing.Any", value).to_bytes())


class Rules:
    """All conditions of a contract."""

    def __init__(
        self,
        contract: str,
        conditions: tuple[Condition, ...] = (),
        rules: tuple[Rule, ...] = (),
    ) -> None:
        self.contract = contract
        self.conditions = conditions
        self.rules = rules
        asked = [it.rule.at_import for it in conditions] + [
            it.at_import for it in rules
        ]
        self.at_read = False in asked
        self.at_import = True in asked

    def obeyed(self, value: _typing.Any) -> bool:
        """Whether a value obeys those that every reader and writer checks."""
        for condition in self.conditions:
            if not condition.rule.at_import and not condition.holds(value, 0):
                return False
        return all(it.at_import or it.verdict(value, 0) is True for it in self.rules)

    def check(
        self, value: _typing.Any, at: int, fd_count: int = 0, at_import: bool = False
    ) -> None:
        """Raise the first that a value at a byte does not obey."""
        for condition in self.conditions:
            rule = condition.rule
            if rule.at_import == at_import and not condition.holds(value, fd_count):
                raise WireError(
                    Code.CONDITION_VIOLATED,
                    self.contract,
                    condition.field,
                    at,
                    condition.expected,
                    rule.shown(value, fd_count),
                )
        for rule in self.rules:
            if (
                rule.at_import == at_import
                and rule.verdict(value, fd_count) is not True
            ):
                raise WireError(
                    Code.RULE_VIOLATED,
                    self.contract,
                    "",
                    at,
                    rule.text,
                    rule.shown(value, fd_count),
                )
