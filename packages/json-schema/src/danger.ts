// Whether a regular expression can block the process. Apart, since few schemas have one.
export { dangerOf } from './patterns/patterns.ts'
