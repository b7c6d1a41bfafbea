// SPDX-License-Identifier: Apache-2.0

public import GAEN
public import Matching
public import Simulation

/// How a board checks published keys. The one place where the simulation depends on it: what does it in process now may become the
/// core's own service.
public protocol ExposureChecking: AnyObject {
    /// Gives a board a file. Throws when the file is refused, which then has no effect.
    func provide(_ file: SimulatedAuthority.File, to board: SimulatedBoard) throws
    /// Every match of a board so far. The laboratory knows whose keys they are; no interface of a board says so.
    func matches(of board: SimulatedBoard) -> [Match]
    /// What the wearer's application may see, under a mapping.
    func windows(of board: SimulatedBoard, under mapping: DiagnosisKeyMapping) -> [ExposureWindow]
}
