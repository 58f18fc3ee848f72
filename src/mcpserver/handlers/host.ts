// What the parts of an `MCPServer` share.
import { platform } from '#platform'
import { pickKeys } from '../../primitives/options.ts'
import type { AmbientStorage } from '../../primitives/platform.ts'
import { checkSecrets } from '../../primitives/sealing/secrets.ts'
import type { TellsFit } from '../../schema/late-engine.ts'
import { createReadingEngine, type ReadingEngine } from '../../schema/reading-engine.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { ServerCore } from '../../server/core.ts'
import { largeStatesOn } from '../../server/state/states-on-backend.ts'
import type { ReadResourceResult } from '../../types/features/resources.ts'
import type { ListChange } from '../../wire/method-rows.ts'
import { INTERACTION_KEYS, type InteractionOptions } from '../asking/options.ts'
import { OwnedToolOptions } from '../extensions/tool-options.ts'
import type { MCPServerOptions } from '../options.ts'
import type { CompiledTool } from '../tools/tool.ts'
import { calling } from '../values/calling.ts'
import type { Caller, Context } from './context.ts'
import { TOOL_PARTS } from './definition-options.ts'

export type OnDuplicate = 'error' | 'replace'

export interface Host {
  readonly server: ServerCore
  /** Validates schemas that are plain JSON Schema. */
  readonly engine: ReadingEngine
  /** The options of tools that belong to the extensions of the server. */
  readonly toolOptions: OwnedToolOptions
  /** Arguments are not repaired. */
  readonly strict: boolean
  /** The model reads the messages of errors that handlers throw. */
  readonly exposeErrors: boolean
  /** Whether the server declares logging. */
  readonly logs: boolean
  readonly onDuplicate: OnDuplicate
  /** Without it every list is one page. */
  readonly pageSize: number | undefined
  /** The keys of `requestState`, where the author has listed them: all nodes of the server have the same. */
  readonly secrets: readonly Uint8Array[] | undefined
  readonly interaction: InteractionOptions
  /** Makes the context available without passing it along, if the option `ambientContext` is set. */
  readonly ambient: AmbientStorage<Context> | undefined
  /** Notifies clients of a changed list, once for all changes of a turn. */
  announce(change: ListChange): void
  /** The enabled tool of this name. */
  findTool(name: string): CompiledTool | undefined
  /** Reads a resource as part of another request, with its questions and time limit. */
  readResource(request: ServerRequestContext, caller: Caller, uri: string): Promise<ReadResourceResult>
}

function interactionOf(
  settings: Exclude<MCPServerOptions['requestState'], false | undefined>,
  backend: MCPServerOptions['backend'],
): InteractionOptions {
  const options = pickKeys<InteractionOptions>(settings, INTERACTION_KEYS)
  if (backend !== undefined) options.store ??= largeStatesOn(backend)
  return options
}

/** Of a server that does not run yet, nobody knows: then the engine tells. */
const tellsFit: TellsFit = (schema, value) => calling.now?.tellsFit(schema, value) ?? false

/** What the parts of a server share. */
export function createHost(
  server: ServerCore,
  options: MCPServerOptions,
  source: Pick<Host, 'announce' | 'findTool' | 'readResource'>,
): Host {
  const { strict = false, exposeErrors = false, onDuplicate = 'error', pageSize, requestState = {} } = options
  const keys = requestState === false ? undefined : requestState.keys
  return {
    server,
    engine: options.schemaEngine ?? createReadingEngine({}, tellsFit),
    toolOptions: new OwnedToolOptions(server.extensions, TOOL_PARTS),
    strict,
    exposeErrors,
    logs: server.requestHandler('logging/setLevel') !== undefined || options.capabilities?.logging !== undefined,
    onDuplicate,
    pageSize,
    secrets: Array.isArray(keys) ? checkSecrets('requestState keys', keys) : undefined,
    interaction: requestState === false ? {} : interactionOf(requestState, options.backend),
    ambient: options.ambientContext === true ? platform.createAmbientStorage<Context>() : undefined,
    ...source,
  }
}
