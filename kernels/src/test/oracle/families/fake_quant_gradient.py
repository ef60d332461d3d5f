"""Gradients of FakeQuant ops, and the ops themselves at ties."""

import numpy as np

F = np.float32


def record(case):
    random = np.random.RandomState(7)
    x = np.concatenate([random.randn(60) * 4, [np.nan, np.inf, -np.inf, 0, -0.0, 6]]).astype(F)
    dy = random.randn(66).astype(F)
    for low, high in [(-6, 6), (-1.3, 2.7), (0, 6), (1, 6), (-5, -1), (-0.1, 0.1), (-1, 1e-3)]:
        for bits, narrow in [(8, False), (8, True), (2, False), (16, False), (4, True)]:
            kw = {"num_bits": bits, "narrow_range": narrow, "_label": f"{low} {high} {bits} {narrow}"}
            case("FakeQuantWithMinMaxArgsGradient", gradients=dy, inputs=x, min=low, max=high, **kw)
            case("FakeQuantWithMinMaxVarsGradient", gradients=dy, inputs=x, min=F(low), max=F(high), **kw, _atol=2e-5)
    op = "FakeQuantWithMinMaxVarsPerChannelGradient"
    lows, highs = np.array([-6, -1.3, 0], F), np.array([6, 2.7, 0], F)
    for shape in [[66, 3], [11, 6, 3], [11, 2, 3, 3], [3], [0, 3]]:
        n = np.prod(shape)
        kw = {"gradients": np.resize(dy, n).reshape(shape), "inputs": np.resize(x, n).reshape(shape)}
        case(op, **kw, min=lows, max=highs, _atol=2e-5)
        case(op, **kw, min=lows, max=highs, num_bits=4, narrow_range=True, _atol=2e-5)
    five = {"gradients": dy[:48].reshape(2, 2, 2, 2, 3), "inputs": x[:48].reshape(2, 2, 2, 2, 3)}
    case(op, **five, min=lows, max=highs, _atol=2e-5)
    case(op, gradients=np.zeros([4, 0], F), inputs=np.zeros([4, 0], F), min=np.zeros([0], F), max=np.zeros([0], F))
    special = np.array([np.inf, -np.inf, np.nan, 1, -1, 0], F)
    spread = np.array([-9, 9, 0, 9, -9, np.nan], F)
    case("FakeQuantWithMinMaxArgsGradient", gradients=special, inputs=spread)
    case("FakeQuantWithMinMaxVarsGradient", gradients=special, inputs=spread, min=F(-6), max=F(6))
    case("FakeQuantWithMinMaxVarsGradient", gradients=special[3:], inputs=spread[3:], min=F(0), max=F(0))
    case(op, gradients=special, inputs=spread, min=np.full(6, -6, F), max=np.full(6, 6, F))
    for low, high in [(6, 1), (2, 2), (np.nan, 1), (-1, np.inf), (-np.inf, 1), (-np.inf, np.inf)]:
        case("FakeQuantWithMinMaxVarsGradient", gradients=dy, inputs=x, min=F(low), max=F(high), _atol=2e-5)
        for op_name, values in [("FakeQuantWithMinMaxVarsGradient", {"gradients": dy}), ("FakeQuantWithMinMaxVars", {})]:
            case(op_name, **values, inputs=x, min=F(low), max=F(high), narrow_range=True, _atol=2e-5)
    case("FakeQuantWithMinMaxVars", inputs=x, min=F(0), max=F(0))
    per_channel = np.stack([x, x, x], -1)
    case("FakeQuantWithMinMaxVarsPerChannel", inputs=per_channel, min=np.array([0, -1, 1], F), max=np.array([0, 1, 1], F))
    for other, sizes in [(x[:9], "[9]"), (x[:66].reshape(11, 6), "[11,6]")]:
        case("FakeQuantWithMinMaxArgsGradient", gradients=dy, inputs=other, _says=f"Input 0: [66] != input 1: {sizes}")
        case("FakeQuantWithMinMaxVarsGradient", gradients=dy, inputs=other, min=0.0, max=1.0)
    case("FakeQuantWithMinMaxArgsGradient", gradients=dy[0], inputs=x[0])
    case("FakeQuantWithMinMaxArgsGradient", gradients=np.zeros([0], F), inputs=np.zeros([0], F))
    case("FakeQuantWithMinMaxVarsGradient", gradients=np.zeros([0], F), inputs=np.zeros([0], F), min=-1.0, max=1.0)
    ok = {"gradients": dy[:9], "inputs": x[:9]}
    case("FakeQuantWithMinMaxArgsGradient", **ok, min=6.0, max=6.0)
    case("FakeQuantWithMinMaxArgsGradient", **ok, num_bits=1)
    case("FakeQuantWithMinMaxVarsGradient", **ok, min=0.0, max=1.0, num_bits=17)
    case("FakeQuantWithMinMaxVarsGradient", **ok, min=[0.0], max=1.0)
    case("FakeQuantWithMinMaxVarsGradient", **ok, min=0.0, max=[1.0])
    case(op, **ok, min=lows, max=highs)
    case(op, **ok, min=0.0, max=1.0)
    case(op, gradients=dy[:3], inputs=x[:3], min=lows, max=highs[:2])
    case(op, gradients=dy[:4], inputs=x[:3], min=lows, max=highs)
    case(op, **ok, min=lows, max=highs, num_bits=1)
    ties(case)


def ties(case):
    """The forward ops halfway between multiples, where the last bit of the scale's inverse decides."""
    for low, high in [(-2.724, 3.229), (-1.9, 0.7), (-3.1, 4.4), (-0.37, 1.61), (-2.2, 2.3)]:
        step = F(F(high) - F(low)) / F(255)
        zero = np.round(-F(low) / step)
        x = ((np.arange(255) + F(0.5) - zero) * step).astype(F)
        x = np.concatenate([np.nextafter(x, F(-9)), x, np.nextafter(x, F(9))])
        case("FakeQuantWithMinMaxArgs", inputs=x, min=low, max=high, _label=f"{low} {high}")
        case("FakeQuantWithMinMaxVars", inputs=x, min=F(low), max=F(high), _label=f"{low} {high}")
        case("FakeQuantWithMinMaxVarsPerChannel", inputs=x[:, None], min=np.array([low], F), max=np.array([high], F))
