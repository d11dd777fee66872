#!/usr/bin/env python3
"""Writes a tiny model with random weights for whisper.cpp: whisper_model.py FILE

Its width and depth are tiny; the vocabulary has the size that whisper.cpp knows English models by, since
the numbers of its special tokens follow from it. The same on every host.
"""
import math
import struct
import sys
import wave

from gguf import Weights, as_f16, as_f32

VOCABULARY, TEXTS = 51864, 50256  # tokens, and those before the special ones
LIKELY = 200  # tokens that are ever said: their texts are syllables
NAMED = {LIKELY: " -", LIKELY + 1: " '", LIKELY + 2: " "}  # whisper.cpp looks for these
AUDIO_CONTEXT, TEXT_CONTEXT = 1500, 96  # frames; tokens, of which a half may be said
MELS, BINS, RATE = 80, 201, 16000  # the filters are for frames of 400 samples
F32, F16 = 0, 1


def sound(path, seconds):
    """A tone that rises, falls and swells: every frame is another."""
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        for i in range(seconds * RATE):
            pitch = 200 + 300 * math.sin(i / 4000)
            file.writeframesraw(struct.pack("<h", int(6000 * math.sin(2 * math.pi * pitch * i / RATE) *
                                                      (1 + math.sin(i / 1500)))))


def mel(hertz):
    return 2595 * math.log10(1 + hertz / 700)


def filters():
    """Triangles that overlap by half, evenly wide on the mel scale."""
    step = mel(RATE / 2) / (MELS + 1)
    values = []
    for m in range(1, MELS + 1):
        for b in range(BINS):
            values.append(max(0.0, 1 - abs(mel(b * RATE / 2 / (BINS - 1)) / step - m)) / 40)
    return values


def texts():
    syllables = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
    for i in range(TEXTS):
        text = (" " if i % 3 == 0 else "") + syllables[i % len(syllables)] if i < LIKELY else NAMED.get(i, f"<{i}>")
        yield text.encode()


def tensors(width, audio_layers, text_layers, seed):
    """(name, shape with the fastest dimension first, type, weights)"""
    weights = Weights(seed)
    ones, zeros = [1.0], [0.0]

    def norm(name):
        return [(f"{name}.weight", (width,), F32, ones * width), (f"{name}.bias", (width,), F32, zeros * width)]

    def linear(name, columns, rows, size, bias=True):
        yield f"{name}.weight", (columns, rows), F16, weights.matrix(columns, rows, size)
        if bias:
            yield f"{name}.bias", (rows,), F32, weights.matrix(rows, 1, 0.1)

    def attention(name):
        yield from norm(f"{name}_ln")
        yield from linear(f"{name}.query", width, width, 2)
        yield from linear(f"{name}.key", width, width, 2, bias=False)
        yield from linear(f"{name}.value", width, width, 1)
        yield from linear(f"{name}.out", width, width, 2)

    def block(name, cross):
        yield from attention(f"{name}.attn")
        if cross:
            yield from attention(f"{name}.cross_attn")
        yield from norm(f"{name}.mlp_ln")
        yield from linear(f"{name}.mlp.0", width, 4 * width, 1)
        yield from linear(f"{name}.mlp.2", 4 * width, width, 2)

    yield "encoder.positional_embedding", (width, AUDIO_CONTEXT), F32, weights.matrix(width, AUDIO_CONTEXT, 4)
    for name, channels in (("conv1", MELS), ("conv2", width)):
        yield f"encoder.{name}.weight", (3, channels, width), F16, weights.matrix(3 * channels, width, 2)
        yield f"encoder.{name}.bias", (1, width), F32, zeros * width
    for i in range(audio_layers):
        yield from block(f"encoder.blocks.{i}", False)
    yield from norm("encoder.ln_post")
    yield "decoder.positional_embedding", (width, TEXT_CONTEXT), F32, weights.matrix(width, TEXT_CONTEXT, 4)
    said = weights.matrix(width, LIKELY, 0.5)
    said.extend(zeros * (width * (VOCABULARY - LIKELY)))
    yield "decoder.token_embedding.weight", (width, VOCABULARY), F16, said
    for i in range(text_layers):
        yield from block(f"decoder.blocks.{i}", True)
    yield from norm("decoder.ln")


def tiny_whisper(path, width=128, heads=2, audio_layers=4, text_layers=2, seed=1):
    with open(path, "wb") as out:
        out.write(struct.pack("<12i", 0x67676D6C, VOCABULARY, AUDIO_CONTEXT, width, heads, audio_layers, TEXT_CONTEXT, width,
                              heads, text_layers, MELS, F16))
        out.write(struct.pack("<2i", MELS, BINS) + as_f32(filters()))
        out.write(struct.pack("<i", TEXTS))
        for text in texts():
            out.write(struct.pack("<I", len(text)) + text)
        for name, shape, kind, values in tensors(width, audio_layers, text_layers, seed):
            out.write(struct.pack(f"<3i{len(shape)}i", len(shape), len(name), kind, *shape) + name.encode())
            out.write((as_f16 if kind == F16 else as_f32)(values))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[0])
    tiny_whisper(sys.argv[1])
