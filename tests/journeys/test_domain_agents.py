"""Domain agents on a card: each works in its own lane, one of them fails, and one answer comes of it."""

from __future__ import annotations

from pathlib import Path

from gateway.texts.en import TEXTS
from tests.journeys.house import house
from tests.journeys.scripted_model import Call, Refuse, Say

LAW = 'name = {en = "Lawyer", zh = "法务"}\ndescription = "contracts"\nkeywords = ["contract"]\nprompt = "LAW"\n'
TAX = 'name = {en = "Taxman", zh = "税务"}\ndescription = "taxes"\nkeywords = ["vat"]\nprompt = "TAX"\n'


async def test_lanes_on_the_card_and_one_answer_below_them(home: Path) -> None:
    (home / "agents").mkdir(parents=True)
    (home / "agents" / "law.toml").write_text(LAW, encoding="utf-8")
    (home / "agents" / "tax.toml").write_text(TAX + 'model = "other"\n', encoding="utf-8")
    async with house(home, start=False) as h:
        h.settings |= {
            "models.other.model": "openai/other",
            "models.other.api_base": h.model.url,
            "models.other.api_key": "k",
        }
        await h.start()
        h.model.script([Call("project_scan")], [Say("The contract is fine.")], when="contract", model="main")
        h.model.script([Refuse(400, "no")], model="other", for_ever=True)
        h.model.script([Say("Sign it; the tax is open.")], when="Domain agents have worked")
        answer = await h.finished(await h.say("@niuma check the contract and the vat in it"))
        assert answer.status == "Done"
        assert "Lawyer" in answer.text and "Taxman" in answer.text
        assert answer.text.index("The contract is fine.") < answer.text.index("Sign it; the tax is open.")
        asked = h.model.about("Domain agents have worked")[0]
        assert "<<< law (done)\nThe contract is fine.\n>>>" in asked.question
        assert "<<< tax (failed:" in asked.question
        general = await h.finished(await h.say("@niuma list the files here"))
        assert TEXTS["notice.general_agent"] in general.text
        assert h.model.complaints == []
