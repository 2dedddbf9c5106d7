"""What holds for every test."""

from hypothesis import settings

# How long one example takes says more about a busy machine than about the code.
settings.register_profile("calza", deadline=None)
settings.load_profile("calza")
