// Whether a regular expression can block the process. Apart from `json-schema.ts`, since few schemas have patterns.
export { dangerOf } from '../../packages/json-schema/src/danger.ts'
