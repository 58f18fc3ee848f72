// The type of a scenario.

/** Runs the scenario. A rejection ends the program with exit code 1. */
export type Scenario = () => Promise<void>
