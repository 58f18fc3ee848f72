// Lets the conformance suite start on Node 20: it imports `globSync` from `fs`, which came with Node 22 and which the
// commands we use never call.
import { register } from 'node:module'

const hooks = `
const withGlob = 'mcpwire:fs-with-glob'
export async function resolve(specifier, context, next) {
  if (specifier !== 'fs' || !context.parentURL?.includes('/@modelcontextprotocol/conformance/')) return next(specifier, context)
  return { url: withGlob, shortCircuit: true }
}
export async function load(url, context, next) {
  if (url !== withGlob) return next(url, context)
  const source = "export * from 'node:fs'; export { default } from 'node:fs';" +
    "export function globSync() { throw new Error('globSync needs Node 22') }"
  return { format: 'module', source, shortCircuit: true }
}`

if (Number(process.versions.node.split('.')[0]) < 22) register(`data:text/javascript,${encodeURIComponent(hooks)}`)
