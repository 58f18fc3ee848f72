// The option `ui` of a tool: its view, and who may call the tool.

import type { UiOption } from '../../../mcpserver/extensions/app-options.ts'
import { typeError } from '../../../primitives/help.ts'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import { checkKeys, describeKind, type KnownKeys } from '../../../primitives/options.ts'
import type { ServerRequestContext } from '../../../server/context.ts'
import { clientUi, type ToolAudience, type ToolUi } from '../../../types/extensions/apps.ts'
import type { Tool } from '../../../types/features/tools.ts'
import { hasToolMeta } from '../../../wire/revision-facts.ts'
import { checkViewUri } from './app-definition.ts'

type FullUi = Extract<UiOption, { visibility?: unknown }>

const KEYS: KnownKeys<FullUi> = { view: true, visibility: true }
const ON_THE_APP = 'Set it in server.app(): hosts ignore it on a tool.'
const ADVICE = {
  csp: ON_THE_APP,
  permissions: ON_THE_APP,
  domain: ON_THE_APP,
  prefersBorder: ON_THE_APP,
  resourceUri: 'Use "view".',
  uri: 'Use "view".',
}
const AUDIENCES: readonly ToolAudience[] = ['model', 'app']

/** `_meta.ui` of the tool. Throws `TypeError` for an option that can't work. `owner` is as in `tool "add"`. */
export function readToolUi(value: UiOption, owner: string): ToolUi {
  if (typeof value === 'string' || isHandle(value)) return { resourceUri: readView(value, owner) }
  if (!isPlainObject(value)) {
    throw typeError(
      'bad-view',
      `The option ui of ${owner} is ${describeKind(value)}. Use what server.app() returned, or a uri.`,
    )
  }
  const full = value as FullUi
  checkKeys(`ui of ${owner}`, full, KEYS, ADVICE)
  const { view, visibility } = full
  if (view === undefined && visibility === undefined) {
    throw typeError('bad-view', `The option ui of ${owner} says nothing. Add view or visibility.`)
  }
  return {
    ...(view !== undefined && { resourceUri: readView(view, owner) }),
    ...(visibility !== undefined && { visibility: readVisibility(visibility, owner) }),
  }
}

/** What `server.app()` returned, or its uri alone. With other members it is options in the wrong place. */
function isHandle(value: unknown): value is { uri: string } {
  if (!isPlainObject(value) || typeof value['uri'] !== 'string') return false
  return typeof value['update'] === 'function' || Object.keys(value).length === 1
}

function readView(view: unknown, owner: string): string {
  const uri = isHandle(view) ? view.uri : view
  checkViewUri(`The view of ${owner}`, uri)
  return uri
}

function readVisibility(visibility: unknown, owner: string): readonly ToolAudience[] {
  const isKnown =
    Array.isArray(visibility) && visibility.length > 0 && visibility.every((audience) => AUDIENCES.includes(audience))
  if (isKnown) return AUDIENCES.filter((audience) => visibility.includes(audience))
  const given = Array.isArray(visibility) ? JSON.stringify(visibility).slice(0, 60) : describeKind(visibility)
  throw typeError(
    'bad-view',
    `The visibility of ${owner} must be a list of "model" and "app", with at least one of them, not ${given}.`,
  )
}

/** Spec apps, Visibility: hosts keep such a tool from the model. */
export function isForViewsOnly({ visibility }: ToolUi): boolean {
  return visibility !== undefined && !visibility.includes('model')
}

/**
 * Whether the client can tell a tool for views from one for the model. A host that knows no apps, or whose revision has no `_meta`
 * on tools, would offer it to the model.
 */
export function showsViews({ clientCapabilities, protocolVersion }: ServerRequestContext): boolean {
  return hasToolMeta(protocolVersion) && clientUi(clientCapabilities) !== undefined
}

/** The tool with its `_meta.ui`. Throws `TypeError` if the author wrote one by hand too. */
export function showUi(tool: Tool, ui: ToolUi, owner: string): Tool {
  if (tool._meta !== undefined && Object.hasOwn(tool._meta, 'ui')) {
    throw typeError('bad-view', `The ${owner} has the option ui, and meta.ui by hand. Remove meta.ui.`)
  }
  return { ...tool, _meta: { ...tool._meta, ui } }
}
