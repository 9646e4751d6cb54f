"""The page of the exam's objectives: all of them as a list, or the guide to one."""

from ui import objectives

objectives.show()
