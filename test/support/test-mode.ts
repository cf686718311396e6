// How much the present run is to test; src/cli/test.ts says so by these variables.

/** True under ./lab test --deep: every suite, with the full figures instead of the quick bound. */
export const deep = process.env.INCIDENT_LAB_DEEP === '1'
/** True under ./lab test --all: every suite, whoever's turn it is. */
export const runsAll = process.env.INCIDENT_LAB_ALL === '1'
/** True under ./lab test --quick. */
export const isQuick = process.env.INCIDENT_LAB_QUICK === '1'
/** True where ./lab test is told which suites to run. */
export const isFiltered = process.env.INCIDENT_LAB_FILTERED === '1'
/** True where the examples of the OpenAPI document are to be written: INCIDENT_LAB_WRITE_EXAMPLES=1 ./lab test documents */
export const writesExamples = process.env.INCIDENT_LAB_WRITE_EXAMPLES === '1'
