/** True under ./lab test --deep: the full figures instead of the quick bound. */
export const deep = process.env.INCIDENT_LAB_DEEP === '1'
