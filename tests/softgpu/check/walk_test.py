"""That walk.py's one walk for all removals finds what a walk for each finds: over the same waves with s_nop 0 in the place of what
is left out. The waves are made here: two of random instructions that load, store, wait, meet and compute, twice each."""
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import walk

ISA = "gfx90a"
START = ("exec={exec} m0=00000100 s0=00001000 s1=00000002 v0=00000000+4*lane v1=000000fc-4*lane v6=00000000+4*lane v7=00000002 "
         "v10=00001000+4*lane v11=00000002")
# By GPU what its waves are made of: what changes EXEC stands with the change. gfx90a has transfers from memory to LDS, and s_nop.
COMMON = ("v_mov_b32_e32 v2, v9", "v_readlane_b32 s8, v8, s9")
WHOLE = {"gfx90a": "ffffffffffffffff", "gfx1030": "00000000ffffffff", "gfx1100": "00000000ffffffff", "gfx1201": "00000000ffffffff"}
SOME = {
    "gfx90a": (
        *COMMON, "global_load_dword v2, v[6:7], off", "ds_read_b32 v3, v0", "ds_write_b32 v0, v4", "ds_write_b32 v1, v5", "s_load_dword s4, s[0:1], 0x0",
        "global_store_dword v[6:7], v3, off", "flat_load_dword v4, v[6:7]", "ds_read2_b32 v[8:9], v1 offset1:1", "ds_add_u32 v0, v2",
        "v_add_u32_e32 v5, v2, v3", "v_add_u32_e32 v5, s4, v4", "v_cmp_lt_u32_e64 s[8:9], v0, v8",
        "v_mfma_f32_4x4x1f32 a[0:3], v2, v3, a[0:3]", "v_accvgpr_read_b32 v3, a0", "global_store_dword v[6:7], v5, off",
        "buffer_load_dword v0, s[0:3], 0 offen lds", "buffer_load_dword v1, s[0:3], 0 offen offset:16 lds",
        "s_mov_b64 exec, s[10:11] ; exec=00000000ffff0000", "s_mov_b64 exec, s[12:13] ; exec=ffff00000000ffff", "s_mov_b64 exec, -1 ; exec={exec}",
        "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0) lgkmcnt(0)", "s_waitcnt lgkmcnt(1)", "s_waitcnt vmcnt(1)",
        "s_nop 1", "s_nop 3", "s_barrier"),
    "gfx1030": (
        *COMMON, "global_load_dword v2, v[6:7], off", "ds_read_b32 v3, v0", "ds_write_b32 v0, v4", "ds_write_b32 v1, v5", "s_load_dword s4, s[0:1], null",
        "global_store_dword v[6:7], v3, off", "flat_load_dword v4, v[6:7]", "flat_store_dword v[6:7], v2", "ds_read2_b32 v[8:9], v1 offset1:1",
        "ds_add_u32 v0, v2", "v_add_nc_u32_e32 v5, v2, v3", "v_add_nc_u32_e32 v5, s4, v4", "v_cmp_lt_u32_e64 s8, v0, v8",
        "global_atomic_add v4, v[6:7], v2, off glc", "global_atomic_add v[6:7], v2, off", "global_store_dword v[6:7], v5, off",
        "s_mov_b32 exec_lo, s10 ; exec=00000000ffff0000", "s_mov_b32 exec_lo, s11 ; exec=000000000000ffff", "s_mov_b32 exec_lo, -1 ; exec={exec}",
        "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0) lgkmcnt(0)", "s_waitcnt lgkmcnt(1)", "s_waitcnt vmcnt(1)",
        "s_waitcnt_vscnt null, 0x0", "s_waitcnt_vscnt null, 0x1", "s_nop 3", "s_barrier"),
    "gfx1100": (
        *COMMON, "global_load_b32 v2, v[6:7], off", "ds_load_b32 v3, v0", "ds_store_b32 v0, v4", "ds_store_b32 v1, v5", "s_load_b32 s4, s[0:1], null",
        "global_store_b32 v[6:7], v3, off", "flat_load_b32 v4, v[6:7]", "ds_load_2addr_b32 v[8:9], v1 offset1:1", "ds_add_u32 v0, v2",
        "v_dual_add_f32 v5, v2, v3 :: v_dual_mov_b32 v12, v4", "v_rcp_f32_e32 v5, v2", "v_sqrt_f32_e32 v3, v5", "v_add_f32_e32 v2, v5, v3", "v_nop",
        "v_wmma_f32_16x16x16_f16 v[16:23], v[24:31], v[32:39], v[16:23]", "v_wmma_f32_16x16x16_f16 v[40:47], v[16:23], v[32:39], v[40:47]",
        "global_atomic_add_u32 v[6:7], v2, off", "global_store_b32 v[6:7], v5, off",
        "s_mov_b32 exec_lo, s10 ; exec=00000000ffff0000", "s_mov_b32 exec_lo, -1 ; exec={exec}",
        "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_waitcnt lgkmcnt(1)", "s_waitcnt_vscnt null, 0x0", "s_waitcnt_depctr depctr_va_vdst(0)", "s_barrier"),
    "gfx1201": (
        *COMMON, "global_load_b32 v2, v[6:7], off", "ds_load_b32 v3, v0", "ds_store_b32 v0, v4", "ds_store_b32 v1, v5", "s_load_b32 s4, s[0:1], 0x0",
        "global_store_b32 v[6:7], v3, off", "flat_load_b32 v4, v[6:7]", "ds_load_2addr_b32 v[8:9], v1 offset1:1", "ds_add_u32 v0, v2",
        "v_add_f32_e32 v5, v2, v3", "v_mov_b32_e32 v5, s4", "global_atomic_add_u32 v4, v[6:7], v2, off th:TH_ATOMIC_RETURN scope:SCOPE_DEV",
        "global_store_b32 v[6:7], v5, off", "s_mov_b32 exec_lo, s10 ; exec=00000000ffff0000", "s_mov_b32 exec_lo, -1 ; exec={exec}",
        "s_wait_loadcnt 0x0", "s_wait_loadcnt 0x1", "s_wait_dscnt 0x0", "s_wait_kmcnt 0x0", "s_wait_storecnt 0x0", "s_wait_loadcnt_dscnt 0x0",
        "s_wait_storecnt_dscnt 0x1", "s_barrier_signal -1\ns_barrier_wait 0xffff")}
WAVES = (0, 1)
MEETS = "s_barrier"  # so begin the instructions at which both waves meet


def executed(seed, isa):
    """A program, and in which order two waves execute its instructions twice: (texts, [(wave, number in the program)])."""
    choose = random.Random(seed)
    texts = [choose.choice(SOME[isa]) for _ in range(60)] + [SOME[isa][-1]]
    texts = [text.format(exec=WHOLE[isa]) for each in texts for text in each.split("\n")]
    numbers = [n for _ in range(2) for n in range(len(texts))]
    at, order = [0, 0], []
    while any(at[w] < len(numbers) for w in WAVES):
        held = [at[w] == len(numbers) or texts[numbers[at[w]]].startswith(MEETS) for w in WAVES]
        if all(held):  # both are at the same barrier
            order += [(w, numbers[at[w]]) for w in WAVES]
            at = [n + 1 for n in at]
            continue
        wave = choose.choice([w for w in WAVES if not held[w]])
        order.append((wave, numbers[at[wave]]))
        at[wave] += 1
    return texts, order


def steps(texts, order, isa=ISA):
    lines = [f"k #0 group 0,0,0 wave {w} starts ; {START.format(exec=WHOLE[isa])}" for w in WAVES]
    lines += [f"k #0 group 0,0,0 wave {w} {n:x}: {texts[n]}" for w, n in order]
    return next(iter(walk.read_trace(lines, isa).values()))


def along(made, isa=ISA):
    found = walk.Registers(isa)
    for wave in WAVES:
        found.follow([s for s in made if s.wave[1] == wave])
    return found


def places(texts, isa=ISA):
    return [n for n, text in enumerate(texts) if walk.Code(text.partition(" ; ")[0], walk.GPUS[isa]).place]


class OneWalk(unittest.TestCase):
    def check(self, isa, seeds):
        harmful = seen = unseen = 0
        for seed in range(seeds):
            texts, order = executed(seed, isa)
            made = steps(texts, order, isa)
            all_of, in_memory = along(made, isa), walk.memory_walk(made)
            self.assertEqual(sorted(all_of.without), places(texts, isa))
            for n in places(texts, isa):
                changed = [*texts[:n], "s_nop 0", *texts[n + 1:]]
                other = steps(changed, order, isa)
                want = along(other, isa).kept
                with self.subTest(isa=isa, seed=seed, place=n, text=texts[n]):
                    self.assertEqual(all_of.kept | all_of.without[n], all_of.kept | want)
                    harmful += not want <= all_of.kept
                    if n in all_of.seen:
                        seen += not texts[n].startswith(MEETS)
                    else:
                        unseen += 1
                        self.assertEqual(walk.memory_walk(other), in_memory)
        self.assertTrue(min(harmful, seen, unseen) > 5, (isa, harmful, seen, unseen))

    def test_is_as_good_as_one_each(self):
        self.check("gfx90a", 3)

    def test_of_later_gpus(self):
        for isa in ("gfx1030", "gfx1100", "gfx1201"):
            self.check(isa, 2)

    def found(self, isa, *texts):
        """Of one wave: the pairs of waits and states that are there, and of each place those that come without it."""
        found = along(steps(texts, [(0, n) for n in range(len(texts))], isa), isa)
        return found.kept, found.without

    def test_waited(self):
        texts = ["s_waitcnt vmcnt(0)", "global_load_dword v2, v[6:7], off", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0)", "v_mov_b32_e32 v3, v2"]
        found = along(steps(texts, [(0, n) for n in range(len(texts))] + [(1, 0)]))
        self.assertEqual(found.waited, {3})
        self.assertEqual(found.kept, set())
        self.assertEqual(found.without, {0: set(), 2: set(), 3: {("wait", 1, 4)}})

    def test_counters_are_full(self):
        write, read = "ds_write_b32 v0, v4", "v_mov_b32_e32 v5, v3"
        for writes, pairs in ((14, {("wait", 0, 15)}), (15, set())):
            texts = ["ds_read_b32 v3, v0", *[write] * writes, read]
            with self.subTest(writes=writes):
                self.assertEqual(along(steps(texts, [(0, n) for n in range(len(texts))])).kept, pairs)
        loads = ["global_load_dword v2, v[6:7], off", *["global_store_dword v[6:7], v5, off"] * 62]
        for more, pairs in (([], {("wait", 0, 63)}), (["global_store_dword v[6:7], v5, off"], set())):
            texts = [*loads, *more, "v_mov_b32_e32 v5, v2"]
            with self.subTest(more=more):
                self.assertEqual(along(steps(texts, [(0, n) for n in range(len(texts))])).kept, pairs)

    def test_wait_states_reach_back(self):
        moves = [f"v_mov_b32_e32 v{n}, 0" for n in range(50, 54)]
        texts = ["v_mfma_f32_32x32x1f32 v[12:43], v2, v3, v[12:43]", "s_nop 15", *moves, "v_mov_b32_e32 v3, v12"]
        found = along(steps(texts, [(0, n) for n in range(len(texts))]))
        self.assertEqual(found.kept, set())
        self.assertEqual(found.without, {1: {("nop", 0, 6)}})

    def test_each_read_of_a_wave(self):
        texts = ["ds_read_b32 v3, v0", "s_waitcnt lgkmcnt(0)", "ds_read_b32 v5, v0", "s_waitcnt lgkmcnt(0)", "s_barrier", "ds_write_b32 v0, v4"]
        made = steps(texts, [(w, n) for n in range(5) for w in WAVES] + [(1, 5)])
        self.assertEqual(walk.memory_walk(made), set())
        self.assertEqual(walk.memory_walk(made, 4), {("lds", 0, 5), ("lds", 2, 5)})

    def test_stores_behind_an_atomic_access(self):
        texts = ["global_store_dword v[6:7], v3, off", "s_waitcnt vmcnt(0)", "global_atomic_add v4, v[10:11], v5, off glc",
                 "s_waitcnt vmcnt(0)", "global_load_dword v2, v[6:7], off"]
        order = [(0, n) for n in (0, 1, 2)] + [(1, n) for n in (2, 3, 4)]
        made = steps(texts, order)
        self.assertEqual(along(made).seen, {1})
        self.assertEqual(walk.memory_walk(made), set())
        self.assertEqual(walk.memory_walk(made, 1), {("global", 0, 4)})

    def test_stores_are_counted_apart(self):
        kept, without = self.found("gfx1030", "global_load_dword v2, v[6:7], off", "global_store_dword v[6:7], v3, off",
                                   "s_waitcnt_vscnt null, 0x0", "s_waitcnt vmcnt(0)", "v_mov_b32_e32 v4, v2")
        self.assertEqual(kept, set())
        self.assertEqual(without, {2: set(), 3: {("wait", 0, 4)}})
        texts = ("global_load_dword v2, v[6:7], off", "global_store_dword v[6:7], v3, off", "s_waitcnt vmcnt(1)", "v_mov_b32_e32 v4, v2")
        self.assertEqual(self.found("gfx1030", *texts)[0], {("wait", 0, 3)})
        self.assertEqual(self.found("gfx90a", *texts)[0], set())

    def test_flat_is_in_order(self):
        texts = ("flat_load_dword v2, v[6:7]", "global_load_dword v3, v[6:7], off", "s_waitcnt vmcnt(1) lgkmcnt(0)", "v_mov_b32_e32 v4, v2")
        self.assertEqual(self.found("gfx1030", *texts)[0], set())
        self.assertEqual(self.found("gfx90a", *texts)[0], {("wait", 0, 3)})

    def test_counters_of_gfx12(self):
        texts = ("global_load_b32 v2, v[6:7], off", "ds_load_b32 v3, v0", "s_load_b32 s4, s[0:1], 0x0", "s_wait_loadcnt_dscnt 0x0", "v_mov_b32_e32 v4, v2",
                 "v_mov_b32_e32 v4, v3", "s_wait_kmcnt 0x0", "v_mov_b32_e32 v4, s4")
        kept, without = self.found("gfx1201", *texts)
        self.assertEqual(kept, set())
        self.assertEqual(without, {3: {("wait", 0, 4), ("wait", 1, 5)}, 6: {("wait", 2, 7)}})

    def test_registers_come_in_any_order_on_gfx12(self):
        texts = ("global_load_b32 v2, v[6:7], off", "global_load_b32 v2, v[10:11], off")
        self.assertEqual(self.found("gfx1100", *texts)[0], set())
        self.assertEqual(self.found("gfx1201", *texts)[0], {("wait", 0, 1)})

    def test_transcendental_results(self):
        texts = ("v_rcp_f32_e32 v5, v2", "s_waitcnt_depctr depctr_va_vdst(0)", "v_mov_b32_e32 v4, v5")
        self.assertEqual(self.found("gfx1100", *texts), (set(), {1: {("nop", 0, 2)}}))
        self.assertEqual(self.found("gfx1030", *texts), (set(), {1: set()}))
        self.assertEqual(self.found("gfx1100", texts[0], "s_waitcnt_depctr 0xfff", texts[2])[0], set())
        self.assertEqual(self.found("gfx1100", texts[0], "s_waitcnt_depctr 0xffe3", texts[2])[0], {("nop", 0, 2)})
        moves = tuple(f"v_mov_b32_e32 v{n}, 0" for n in range(50, 55))
        self.assertEqual(self.found("gfx1100", texts[0], *moves, texts[2])[0], {("nop", 0, 6)})
        self.assertEqual(self.found("gfx1100", texts[0], *moves, "v_mov_b32_e32 v60, 0", texts[2])[0], set())
        self.assertEqual(self.found("gfx1100", texts[0], "v_exp_f32_e32 v60, v2", "v_exp_f32_e32 v61, v2", texts[2])[0], set())

    def test_matrix_instructions_of_gfx11(self):
        first, second = SOME["gfx1100"][16:18]
        self.assertEqual(self.found("gfx1100", first, "v_nop", second), (set(), {1: {("nop", 0, 2)}}))
        self.assertEqual(self.found("gfx1100", first, "s_mov_b32 s20, 0", second)[0], {("nop", 0, 2)})

    def test_two_operations_read_before_either_writes(self):
        texts = ("global_load_b32 v2, v[6:7], off", "v_dual_mov_b32 v4, v3 :: v_dual_mov_b32 v2, v4")
        self.assertEqual(self.found("gfx1100", *texts)[0], {("wait", 0, 1)})

    def test_scalar_loads_of_what_others_store(self):
        texts = ["global_store_dword v[10:11], v3, off", "s_waitcnt_vscnt null, 0x0", "global_atomic_add v[12:13], v5, off",
                 "global_atomic_add v4, v[12:13], v5, off glc", "s_load_dword s4, s[0:1], 0x0"]
        made = steps(texts, [(0, 0), (0, 1), (0, 2), (1, 3), (1, 4)], "gfx1030")
        self.assertEqual(walk.memory_walk(made), set())
        self.assertEqual(walk.memory_walk(made, 1), {("global", 0, 4)})

    def test_barrier_of_two_instructions(self):
        texts = ["ds_store_b32 v0, v4", "s_wait_dscnt 0x0", "s_barrier_signal -1", "s_barrier_wait 0xffff", "ds_load_b32 v3, v0"]
        order = [(0, 0), (0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (1, 4)]
        made = steps(texts, order, "gfx1201")
        self.assertEqual(along(made, "gfx1201").seen, {1})
        self.assertEqual(walk.memory_walk(made), set())
        self.assertEqual(walk.memory_walk(made, 3), {("lds", 0, 4)})
        self.assertEqual(walk.memory_walk(made, 1), {("lds", 0, 4)})


if __name__ == "__main__":
    unittest.main()
