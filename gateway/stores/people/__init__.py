"""People, their ranks, the requests of those who want to be let in, and what conversations decided for themselves."""

from gateway.stores.people.people import Known, People, Rank
from gateway.stores.people.requests import Asked, Request

__all__ = ["Asked", "Known", "People", "Rank", "Request"]
