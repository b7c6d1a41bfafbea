#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""NHS COVID-19's second model as one would write it with NumPy and SciPy: what Vigil's own version is measured against.

Argument: windows apart by blanks, their scans as attenuation:seconds apart by commas. Prints the processor time of one window in
nanoseconds, and 60 x score of each. Parameters are those of the library's example.
"""
import sys
import time

import numpy as np
from scipy.special import gammaincinv

RESOLUTION, EXPECTED, MINIMUM = 1.0, 0.1, 1.0
WEIGHT, INTERCEPT, R = 0.1270547531082051, 4.2309333657856945, 0.4947614361027773
MEAN, COVARIANCE, ALPHA, BETA, KAPPA = 2.0, 10.0, 1.0, 0.0, 0.0
Q = EXPECTED**2
LAMBDA = ALPHA**2 * (3 + KAPPA) - 3
SCALE = 3 + LAMBDA
WM = np.full(7, 1 / (2 * SCALE))
WM[0] = LAMBDA / SCALE
WC = WM.copy()
WC[0] += 1 - ALPHA**2 + BETA
STATE = np.array([0, 1, 0, 0, -1, 0, 0])
TRANSITION = np.array([0, 0, 1, 0, 0, -1, 0]) * np.sqrt(SCALE * Q)
NOISE = np.array([0, 0, 0, 1, 0, 0, -1]) * np.sqrt(SCALE * R)


def observations(scans):
    series, seconds = [], 0.0
    for index, (attenuation, since) in enumerate(scans):
        seconds += since if index else 0
        step = int(seconds / RESOLUTION)
        series += [np.nan] * (step - len(series))
        series.append(np.log(attenuation) if attenuation > 0 else np.nan)
    return series


def draw(mean, covariance):
    return mean + STATE * np.sqrt(SCALE * covariance)


def score(scans):
    series = observations(scans)
    means, covariances = np.empty(len(series)), np.empty(len(series))
    mean, covariance = MEAN, COVARIANCE
    points = draw(mean, covariance)
    for step, observed in enumerate(series):
        if step:
            points = np.abs(draw(mean, covariance) + TRANSITION)
            mean = WM @ points
            covariance = WC @ (points - mean) ** 2
        if np.isfinite(observed):
            z = WEIGHT * np.log(np.abs(points)) + INTERCEPT + NOISE
            zm = WM @ z
            zp = WC @ (z - zm) ** 2
            cross = WC @ ((points - mean) * (z - zm))
            gain = cross / zp
            mean += gain * (observed - zm)
            covariance -= gain * cross
        means[step], covariances[step] = mean, covariance
    for step in range(len(series) - 2, -1, -1):
        drawn = draw(means[step], covariances[step])
        points = np.abs(drawn + TRANSITION)
        pm = WM @ points
        pp = WC @ (points - pm) ** 2
        gain = WC @ ((points - pm) * (drawn - means[step])) / pp
        means[step] += gain * (means[step + 1] - pm)
        covariances[step] += gain**2 * (covariances[step + 1] - pp)
    distances = gammaincinv(means**2 / covariances, 0.5) * covariances / means
    return RESOLUTION / 60 * np.sum(np.clip(MINIMUM**2 / distances**2, 0, 1))


def main():
    windows = [
        [tuple(map(float, scan.split(":"))) for scan in window.split(",")] for window in sys.argv[1].split()
    ]
    score(windows[0])
    start = time.process_time_ns()
    scores = [60 * score(window) for window in windows]
    print((time.process_time_ns() - start) / len(windows))
    print(*(f"{value:.17g}" for value in scores))


if __name__ == "__main__":
    main()
