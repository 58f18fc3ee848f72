// What a scenario is to the client.

/** Does what the scenario asks for; a rejection is the end of the program with exit code 1. */
export type Scenario = () => Promise<void>
