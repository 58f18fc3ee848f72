// What a tool says of its view, and who may call it.
import { typeError } from '../../../primitives/help.ts'
import { isPlainObject, ownMember } from '../../../primitives/json/objects.ts'
import { describeKind } from '../../../primitives/options.ts'
import type { ToolAudience, ToolUi } from '../../../types/extensions/apps.ts'
import type { Tool } from '../../../types/features/tools.ts'

const EVERYBODY: readonly ToolAudience[] = Object.freeze(['model', 'app'])

/** The key of older servers, beside `ui`. */
const FLAT_KEY = 'ui/resourceUri'

const VIEW_SCHEME = 'ui://'

/** `_meta.ui` of a tool, with its visibility; `undefined` for a tool that says nothing of apps. A view has a `ui://` uri. */
export function uiOf(tool: Pick<Tool, '_meta'>): (ToolUi & { visibility: readonly ToolAudience[] }) | undefined {
  if (!isPlainObject(tool)) {
    throw typeError('wrong-argument', `uiOf() takes a tool as client.tools() lists it, not ${describeKind(tool)}.`)
  }
  const ui = ownMember(tool._meta, 'ui')
  const flat = ownMember(tool._meta, FLAT_KEY)
  if (!isPlainObject(ui) && typeof flat !== 'string') return undefined
  const resourceUri = viewUri(ownMember(ui, 'resourceUri')) ?? viewUri(flat)
  const visibility = audienceOf(ownMember(ui, 'visibility'))
  return resourceUri === undefined ? { visibility } : { resourceUri, visibility }
}

function viewUri(uri: unknown): string | undefined {
  return typeof uri === 'string' && uri.startsWith(VIEW_SCHEME) ? uri : undefined
}

/** Absent means everybody. A value that is no list of the known words names nobody that is not in it. */
function audienceOf(visibility: unknown): readonly ToolAudience[] {
  if (visibility === undefined) return EVERYBODY
  return EVERYBODY.filter((audience) => Array.isArray(visibility) && visibility.includes(audience))
}

/** The tools that the model may see and call. */
export function modelTools<T extends Pick<Tool, '_meta'>>(tools: Iterable<T>): T[] {
  return [...tools].filter((tool) => uiOf(tool)?.visibility.includes('model') ?? true)
}

/** Whether the views of the tool's own server may call it. Views of other servers may not. */
export function mayCall(tool: Pick<Tool, '_meta'>): boolean {
  return uiOf(tool)?.visibility.includes('app') ?? true
}
