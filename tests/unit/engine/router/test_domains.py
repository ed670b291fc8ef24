"""Domain agents as the rules see them: by what people call them and by the words of their files."""

from __future__ import annotations

import pytest

from engine.profiles import Profile
from engine.profiles.profile import Name
from engine.router import Directory, Domains, decide_by_rules, read_request

LAW = Profile(id="law", name=Name(en="Lawyer", zh="法务"), description="contracts and terms", keywords=("NDA", "合同"))
TAX = Profile(id="tax", name=Name(en="Tax desk", zh="税务"), description="taxes", keywords=("vat", "发票"))
DOMAINS = Domains([LAW, TAX])


@pytest.mark.parametrize(
    ("words", "fitting"),
    [
        ("帮我看看这份合同", ["law"]),
        ("check the NDA in nda.docx", ["law"]),
        ("ask the tax desk about the vat", ["tax"]),
        ("请法务看合同，再让税务看发票", ["law", "tax"]),
        ("an agenda for monday", []),
        ("private", []),
    ],
)
def test_who_fits(words: str, fitting: list[str]) -> None:
    assert sorted(DOMAINS.fitting(read_request(words))) == fitting


def test_a_domain_agent_that_fits_is_in_the_route() -> None:
    route = decide_by_rules(read_request("read contract.docx and check the NDA"), Directory(), DOMAINS)
    assert route is not None
    assert (route.way, route.domains) == ("agent", ("law",))
