#!/usr/bin/env python3
"""Writes a tiny language model with random weights as GGUF: gguf.py FILE f32|f16|q8_0|q4_0

The model is of the llama architecture, with a vocabulary of syllables, and the same on every host.
Apart from the tests, because the demo makes its model with it too.
"""
import array
import random
import struct
import sys

ALIGNMENT = 32
F32, F16, Q4_0, Q8_0 = 0, 1, 2, 8  # ggml's numbers of types
KINDS = {"f32": F32, "f16": F16, "q8_0": Q8_0, "q4_0": Q4_0}
FILE_TYPE = {"f32": 0, "f16": 1, "q4_0": 2, "q8_0": 7}  # llama.cpp's numbers of mixtures of types
BLOCK = 32  # weights that share a scale
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6  # kinds of tokens


def string(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


class U32(int):
    FORMAT, NUMBER = "<I", 4


class I32(int):
    FORMAT, NUMBER = "<i", 5


class Real(float):
    FORMAT, NUMBER = "<f", 6


class Truth(int):
    FORMAT, NUMBER = "<?", 7


def value(v):
    """The number of a value's type, and its bytes."""
    if isinstance(v, str):
        return 8, string(v)
    if isinstance(v, list):
        items = [value(i) for i in v]
        return 9, struct.pack("<IQ", items[0][0], len(items)) + b"".join(data for _, data in items)
    return v.NUMBER, struct.pack(v.FORMAT, v)


def as_f32(weights):
    return struct.pack(f"<{len(weights)}f", *weights)


def as_f16(weights):
    return struct.pack(f"<{len(weights)}e", *weights)


def blocks(weights):
    return (weights[i:i + BLOCK] for i in range(0, len(weights), BLOCK))


def as_q8_0(weights):
    out = []
    for block in blocks(weights):
        scale = max(map(abs, block)) / 127
        out.append(struct.pack("<e32b", scale, *(round(w / scale) if scale else 0 for w in block)))
    return b"".join(out)


def as_q4_0(weights):
    out = []
    for block in blocks(weights):
        scale = max(block, key=abs) / -8  # the largest weight becomes exactly -8
        q = [min(15, int(w / scale + 8.5)) if scale else 8 for w in block]
        out.append(struct.pack("<e16B", scale, *(low | high << 4 for low, high in zip(q[:16], q[16:]))))
    return b"".join(out)


CODERS = {F32: as_f32, F16: as_f16, Q8_0: as_q8_0, Q4_0: as_q4_0}


def write(path, metadata, tensors):
    """metadata: {key: value}; tensors: [(name, shape with the fastest dimension first, type, weights)]."""
    head = [b"GGUF", struct.pack("<IQQ", 3, len(tensors), len(metadata))]
    for key, v in metadata.items():
        number, data = value(v)
        head += [string(key), struct.pack("<I", number), data]
    bodies, offset = [], 0
    for name, shape, kind, weights in tensors:
        head += [string(name), struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset)]
        body = CODERS[kind](weights)
        body += bytes(-len(body) % ALIGNMENT)
        bodies.append(body)
        offset += len(body)
    head = b"".join(head)
    with open(path, "wb") as out:
        out.write(head + bytes(-len(head) % ALIGNMENT))
        out.writelines(bodies)


def vocabulary():
    """[(text, score, kind)]: three marks, the bytes, letters, syllables within and at the start of words."""
    tokens = [("<unk>", 0, UNKNOWN), ("<s>", 0, CONTROL), ("</s>", 0, CONTROL)]
    tokens += [(f"<0x{b:02X}>", 0, BYTE) for b in range(256)]
    syllables = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
    texts = ["\u2581" + s for s in syllables] + syllables + ["\u2581"] + list("abcdefghijklmnopqrstuvwxyz.")
    return tokens + [(text, -1 - i, NORMAL) for i, text in enumerate(texts)]


class Weights:
    """Random weights that are the same on every host and in every version of Python."""

    def __init__(self, seed):
        self.random = random.Random(seed).random

    def matrix(self, columns, rows, size):
        """Uniform, with a standard deviation of size / sqrt(columns)."""
        width = size * (12 / columns) ** 0.5
        return array.array("f", [(self.random() - 0.5) * width for _ in range(columns * rows)])


def tiny_llama(path, kind, layers=2, width=256, heads=4, kv_heads=2, hidden=512, context=512, seed=5):
    tokens, weights = vocabulary(), Weights(seed)
    kv_width = width // heads * kv_heads
    metadata = {
        "general.architecture": "llama", "general.name": "tiny", "general.file_type": U32(FILE_TYPE[kind]),
        "llama.context_length": U32(context), "llama.embedding_length": U32(width), "llama.block_count": U32(layers),
        "llama.feed_forward_length": U32(hidden), "llama.attention.head_count": U32(heads),
        "llama.attention.head_count_kv": U32(kv_heads), "llama.attention.layer_norm_rms_epsilon": Real(1e-5),
        "llama.rope.dimension_count": U32(width // heads), "llama.rope.freq_base": Real(10000),
        "llama.vocab_size": U32(len(tokens)),
        "tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": [t for t, _, _ in tokens],
        "tokenizer.ggml.scores": [Real(s) for _, s, _ in tokens],
        "tokenizer.ggml.token_type": [I32(k) for _, _, k in tokens],
        "tokenizer.ggml.unknown_token_id": U32(0), "tokenizer.ggml.bos_token_id": U32(1),
        "tokenizer.ggml.eos_token_id": U32(2), "tokenizer.ggml.add_bos_token": Truth(True),
    }
    matrix, main = weights.matrix, KINDS[kind]
    ones = array.array("f", [1.0] * width)
    output = matrix(width, len(tokens), 4)
    for i, (_, _, token_kind) in enumerate(tokens):  # what is generated can be read: marks and bytes are unlikely
        if token_kind != NORMAL:
            for j in range(i * width, (i + 1) * width):
                output[j] *= 0.05
    tensors = [("token_embd.weight", (width, len(tokens)), main, matrix(width, len(tokens), 16)),
               ("output_norm.weight", (width,), F32, ones),
               ("output.weight", (width, len(tokens)), main, output)]
    for i in range(layers):
        tensors += [(f"blk.{i}.attn_norm.weight", (width,), F32, ones), (f"blk.{i}.ffn_norm.weight", (width,), F32, ones)]
        tensors += [(f"blk.{i}.{name}.weight", (columns, rows), main, matrix(columns, rows, size)) for
                    name, columns, rows, size in (
                        ("attn_q", width, width, 2), ("attn_k", width, kv_width, 2), ("attn_v", width, kv_width, 1),
                        ("attn_output", width, width, 2), ("ffn_gate", width, hidden, 1), ("ffn_up", width, hidden, 1),
                        ("ffn_down", hidden, width, 4))]
    write(path, metadata, tensors)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[2] not in KINDS:
        sys.exit(__doc__.splitlines()[0])
    tiny_llama(sys.argv[1], sys.argv[2])
