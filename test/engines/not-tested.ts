/** The variable with the file that collects what this run could not test. Set by `global-setup.ts`, printed at the end of the run. */
export const NOT_TESTED = 'MCPWIRE_NOT_TESTED'
