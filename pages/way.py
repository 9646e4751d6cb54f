"""The whole way on one page: a picture, a list, and three orders to read in."""

from ui import way

way.show()
