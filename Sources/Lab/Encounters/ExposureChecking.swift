// SPDX-License-Identifier: Apache-2.0

public import GAEN
public import Interfaces
public import Matching
public import Simulation

/// A checker of published keys as a board has it. One thread.
public protocol ExposureChecking: AnyObject {
    /// Gives a board files in one call. Throws when one is refused; whether those before it have an effect then is for each kind to say.
    func provide(_ files: [SimulatedAuthority.File], to board: SimulatedBoard) throws
    /// Every match of a board so far. The laboratory knows whose keys they are; no interface of a board says so. Throws
    /// Refusal when the board's core refuses.
    func matches(of board: SimulatedBoard) throws -> [Match]
    /// The exposure windows that the wearer's application gets when it asks. Throws Refusal when the board's core refuses.
    func windows(of board: SimulatedBoard) throws -> [Exposure1.ExposureWindow]
    /// Says how published keys are to be read from now on. Throws Refusal when the board's core refuses.
    func setMapping(_ mapping: DiagnosisKeyMapping, of board: SimulatedBoard) throws
}
