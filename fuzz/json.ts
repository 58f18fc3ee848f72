// Bounded JSON: accepts exactly what JSON.parse accepts within the limits, with the same value.
import fc from 'fast-check'
import { decodeMessage } from '../src/dispatcher/decode.ts'
import { NODE_BYTES } from '../src/node/stdio/byte-tools.ts'
import { WEB_BYTES } from '../src/primitives/byte-tools.ts'
import { MCPError } from '../src/types/errors/errors.ts'
import { LimitError } from '../src/types/errors/failures.ts'
import { bytesOf, nearlyJSON } from './pieces.ts'
import { asProperty, demand, demandAlike, type FuzzTarget } from './target.ts'

interface Outcome {
  readonly value?: unknown
  readonly refusal?: 'limit' | 'syntax'
}

function outcomeOf(decode: () => unknown): Outcome {
  try {
    return { value: decode() }
  } catch (error) {
    if (error instanceof LimitError) return { refusal: 'limit' }
    if (error instanceof MCPError && error.code === -32700) return { refusal: 'syntax' }
    throw error
  }
}

/** Depth and number of elements of a parsed value. */
function measure(value: unknown): { depth: number; elements: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, elements: 0 }
  const inner = Object.values(value).map(measure)
  const depth = 1 + inner.reduce((max, child) => Math.max(max, child.depth), 0)
  const commas = Math.max(0, inner.length - 1)
  return { depth, elements: 1 + commas + inner.reduce((sum, child) => sum + child.elements, 0) }
}

function parse(bytes: Uint8Array): Outcome {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) }
  } catch {
    return { refusal: 'syntax' }
  }
}

const limits = fc.record({
  maxBytes: fc.constantFrom(8, 64, 4_096, 1_000_000),
  maxDepth: fc.constantFrom(1, 3, 64),
  maxElements: fc.constantFrom(1, 10, 100_000),
})

export const jsonTarget: FuzzTarget = {
  name: 'json',
  about: 'bounded JSON agrees with JSON.parse, and is rejected exactly if it exceeds a limit',
  runs: 8_000,
  property: asProperty(
    fc.property(bytesOf(nearlyJSON), limits, (bytes, bounds) => {
      const outcome = outcomeOf(() => decodeMessage(bytes, bounds, WEB_BYTES))
      demandAlike(
        outcomeOf(() => decodeMessage(bytes, bounds, NODE_BYTES)),
        outcome,
        'bytes as Node reads them',
      )
      demandAlike(
        outcomeOf(() => decodeMessage(Buffer.from(bytes), bounds, NODE_BYTES)),
        outcome,
        'a Buffer',
      )
      const parsed = parse(bytes)
      if (parsed.refusal === undefined) {
        const { depth, elements } = measure(parsed.value)
        const isWithin = bytes.length <= bounds.maxBytes && depth <= bounds.maxDepth
        // The scan counts a repeated key twice.
        if (isWithin && elements <= bounds.maxElements && outcome.refusal === 'limit')
          demand(hasTwins(bytes), 'refused')
        if (!isWithin || elements > bounds.maxElements) demand(outcome.refusal === 'limit', 'a limit was not kept')
        if (outcome.refusal === undefined) demandAlike(outcome.value, parsed.value, 'another value')
      } else {
        demand(outcome.refusal !== undefined, 'took what is no JSON')
      }
    }),
  ),
}

/** Whether an object may have had a repeated key: then the parsed value prints shorter than the input. */
function hasTwins(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes).replace(/\s/g, '')
  const commas = (value: string) => value.split(',').length
  return commas(JSON.stringify(JSON.parse(new TextDecoder().decode(bytes)))) < commas(text)
}
