// mcpwire/transforms: change what clients see of a server, a mount or a proxy.
export { type CodeModeOptions, codeMode } from '../compose/code-mode/code-mode.ts'
export type { Sandbox, SandboxLimits, SandboxOutcome, SandboxRun } from '../compose/code-mode/sandbox.ts'
export type { NameSeparator, NamingOptions } from '../compose/composite/names.ts'
export type { Transform } from '../compose/sources/transform.ts'
export { promptsAsTools, resourcesAsTools } from '../compose/transforms/as-tools.ts'
export {
  describe,
  hide,
  type NewDescription,
  only,
  type TransformMaps,
  transform,
  unlisted,
} from '../compose/transforms/basic.ts'
export { type ArgumentChange, changeArguments } from '../compose/transforms/change-arguments.ts'
export type { ComponentFacts, ComponentMatch, ComponentTest } from '../compose/transforms/match.ts'
export { namespace, type RenameOptions, rename } from '../compose/transforms/rename.ts'
export { type SchemaProfile, schemaProfile } from '../compose/transforms/schema-profile.ts'
export { type SearchToolsOptions, searchTools } from '../compose/transforms/search-tools.ts'
export { type VersionOptions, version } from '../compose/transforms/version.ts'
