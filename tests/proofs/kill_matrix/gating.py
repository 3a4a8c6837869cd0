"""MoeGatingTopK step by step, in float32, right and with one mistake each."""

import ml_dtypes
import numpy as np

from tests.conformance.numerics.machines import EXPS, SUMS


def largest(keys, k):
    return np.argsort(-keys, axis=1, kind="stable")[:, :k].astype(np.int32)


class Right:
    """``answer`` gives y, expert_idx and all scores; a mistake is another step.

    ``modes`` are those in which it can show: softmax, sigmoid; ``grouped`` if it needs groups and a
    bias.
    """

    exp, sum = EXPS["correct"], SUMS["left to right"]
    modes, grouped, right = ("softmax", "sigmoid"), False, False

    def answer(self, x, bias, given):
        scores = self.scores(x.astype(np.float32), given["norm_type"])
        keys = self.keys(scores, None if bias is None else bias.astype(np.float32))
        count = given["group_count"]
        if count > 1:
            best = self.best(np.sort(keys.reshape(len(keys), count, -1), axis=2), given)
            kept = np.zeros(best.shape, bool)
            np.put_along_axis(kept, largest(best, self.keep(given["k_group"])), True, axis=1)
            keys = np.where(np.repeat(kept, keys.shape[1] // count, axis=1), keys, np.nan)
        ids = self.ids(keys, given["k"])
        y = np.take_along_axis(self.weighed(scores, keys), ids, axis=1)
        if given["norm_type"] or given["renorm"]:
            y = self.shares(y, scores, np.float32(given["eps"]))
        return self.stored(y * np.float32(given["routed_scaling_factor"]), x.dtype), ids, scores

    def scores(self, x, norm_type):
        with np.errstate(all="ignore"):
            if norm_type:
                return np.float32(1) / (np.float32(1) + type(self).exp(-x))
            terms = type(self).exp(x - self.most(x))
            return terms / self.total(terms)

    def most(self, x):
        return x.max(axis=1, keepdims=True)

    def total(self, terms):
        return type(self).sum(terms)[:, None]

    def keys(self, scores, bias):
        return scores if bias is None else scores + bias

    def best(self, ordered, given):
        two = ordered[:, :, -1] + ordered[:, :, -2]
        return two if given["group_select_mode"] else ordered[:, :, -1]

    def keep(self, count):
        return count

    def ids(self, keys, k):
        return largest(keys, k)

    def weighed(self, scores, keys):
        return scores

    def shares(self, y, scores, eps):
        return y / (type(self).sum(y)[:, None] + eps)

    def stored(self, y, dtype):
        return y.astype(dtype)


class AnotherExp(Right):
    right, exp = True, EXPS["hash"]


class AnotherOrder(Right):
    right, sum = True, SUMS["pairwise"]


class KeysInStorage(Right):
    def keys(self, scores, bias):
        return super().keys(scores, bias).astype(ml_dtypes.bfloat16).astype(np.float32)


class HigherIdFirst(Right):
    def ids(self, keys, k):
        return (keys.shape[1] - 1 - largest(keys[:, ::-1], k)).astype(np.int32)


class Ascending(Right):
    def ids(self, keys, k):
        return largest(keys, k)[:, ::-1]


class LastExpertLeftOut(Right):
    def ids(self, keys, k):
        return largest(np.where(np.arange(keys.shape[1]) < keys.shape[1] - 1, keys, np.nan), k)


class BiasIgnored(Right):
    grouped = True

    def keys(self, scores, bias):
        return scores


class BiasWeighs(Right):
    grouped = True

    def weighed(self, scores, keys):
        return keys


class GroupsByOne(Right):
    grouped = True

    def best(self, ordered, given):
        return ordered[:, :, -1]


class OneGroupMore(Right):
    grouped = True

    def keep(self, count):
        return count + 1


class SharesOfAll(Right):
    modes = ("sigmoid",)

    def shares(self, y, scores, eps):
        return y / (type(self).sum(scores)[:, None] + eps)


class NotNormalised(Right):
    modes = ("sigmoid",)

    def shares(self, y, scores, eps):
        return y


class NoMaximum(Right):
    modes = ("softmax",)

    def most(self, x):
        return np.float32(0)


class ExpOfTwelveBits(Right):
    def exp(values):  # noqa: N805
        return (EXPS["correct"](values).view(np.uint32) & np.uint32(0xFFFFF800)).view(np.float32)


class SumInHalf(Right):
    def sum(terms):  # noqa: N805
        with np.errstate(over="ignore"):
            total = np.zeros(len(terms), np.float16)
            for column in terms.T:
                total = total + column.astype(np.float16)
        return total.astype(np.float32)


class WeightsApart(Right):
    def stored(self, y, dtype):
        return np.sort(y, axis=1).astype(dtype)


class KeyLessBias(Right):
    grouped = True

    def keys(self, scores, bias):
        self.bias = bias
        return super().keys(scores, bias)

    def weighed(self, scores, keys):
        return keys - self.bias


class Truncated(Right):
    def stored(self, y, dtype):
        if dtype == np.float32:
            return (y.view(np.uint32) & np.uint32(0xFFFFFFFE)).view(np.float32)
        if dtype == np.float16:
            return (y.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32).astype(dtype)
        return (y.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32).astype(dtype)


RIGHT = {"another exp": AnotherExp(), "another order of additions": AnotherOrder()}
MISTAKES = {
    "keys in bfloat16": KeysInStorage(),
    "ties to the higher id": HigherIdFirst(),
    "ascending order": Ascending(),
    "last expert left out": LastExpertLeftOut(),
    "bias ignored": BiasIgnored(),
    "bias weighs": BiasWeighs(),
    "groups by one key for two": GroupsByOne(),
    "one group more is kept": OneGroupMore(),
    "shares of all experts": SharesOfAll(),
    "not normalised": NotNormalised(),
    "no maximum subtracted": NoMaximum(),
    "exp of 12 bits": ExpOfTwelveBits(),
    "sum in half precision": SumInHalf(),
    "weights sorted apart from ids": WeightsApart(),
    "a score is its key less the bias": KeyLessBias(),
    "truncated": Truncated(),
}
