"""The endpoint: one process a runs folder that answers tickets by every learner's champion.

It speaks the Open Inference Protocol (KServe V2). Ask it through `trainer.serve.client`.
"""
