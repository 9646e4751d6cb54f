"""A learner's own data: a CSV file is read within limits, looked through, and made a data set.

    sheet = reading.read(stream)                     # rows of text, or BadFile with one sentence
    kinds = columns.guess(sheet)                     # what each column holds; correctable
    found = checks.look(sheet, kinds, roles)         # classes, gaps, copies, leaks; refusals
    folder = making.make(runs, sheet, kinds, roles)  # runs/data/<hash>/, as labs load it

Arrays only: no PyTorch and no Streamlit.
"""
