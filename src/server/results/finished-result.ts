// Results of tools that are nothing but text and JSON: right by construction, so they get their stamps and go out.
import { isPlainObject } from '../../primitives/json/objects.ts'
import { PREPARED, PreparedJSON } from '../../primitives/json/prepared-json.ts'
import type { CallToolResult } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { ProtocolVersion } from '../../types/protocol/versions.ts'
import { allowsAnyStructure, hasStructuredContent, stampsResults } from '../../wire/revision-facts.ts'
import type { ServerRequestContext } from '../context.ts'

/** A value that holds nothing but JSON, and its text. */
export interface JSONForm {
  readonly value: unknown
  readonly text: string
}

/** A result that was made of a text, or of none, and of structured content whose JSON is known. */
export interface PlainResult {
  readonly result: CallToolResult
  readonly text: string | undefined
  readonly structure?: JSONForm | undefined
}

/** The result as the caller's revision has it. Its maker vouches for it, and nobody looks at it again. */
export function finishPlainResult(ctx: ServerRequestContext, plain: PlainResult): JSONObject {
  const { server, dispatch } = ctx
  const { content } = plain.result
  const structure = structureAt(ctx.protocolVersion, plain)
  const structuredContent = structure?.value
  const isStamped = stampsResults(ctx.protocolVersion)
  const _meta = isStamped ? { 'io.modelcontextprotocol/serverInfo': server.info } : undefined
  // Whoever stands between the handler and the wire may write on a result, and its text would not know.
  if (dispatch.transport.writesResults === true && server.passesResultsOn) {
    const prepared = new PreparedJSON(() => write(_meta && server.stampText, plain.text, structure?.text))
    return { resultType: isStamped ? 'complete' : undefined, _meta, content, structuredContent, [PREPARED]: prepared }
  }
  const unstamped = structure === undefined ? { content } : { content, structuredContent }
  return isStamped ? { resultType: 'complete', _meta, ...unstamped } : unstamped
}

/** Before any value was allowed, structured content was an object or not there at all. */
function structureAt(version: ProtocolVersion, { structure }: PlainResult): JSONForm | undefined {
  if (structure === undefined || allowsAnyStructure(version)) return structure
  return hasStructuredContent(version) && isPlainObject(structure.value) ? structure : undefined
}

/** As `JSON.stringify` would, without writing anew what is known in writing. */
function write(stampText: string | undefined, text: string | undefined, structure: string | undefined): string {
  const stamps = stampText === undefined ? '' : `"resultType":"complete","_meta":${stampText},`
  const content = text === undefined ? '[]' : `[{"type":"text","text":${JSON.stringify(text)}}]`
  return `{${stamps}"content":${content}${structure === undefined ? '' : `,"structuredContent":${structure}`}}`
}
