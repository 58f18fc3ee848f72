// The cost of checking a tools/call and its result, compared with parsing the same bytes.
import type { ProtocolVersion } from '../src/types/protocol/versions.ts'
import { checkRequest, checkResult, sieveResult } from '../src/wire/check.ts'
import { goal, measure, report } from './measure.ts'

const text = 'The weather in Zürich is 14 degrees with light rain; the wind comes from the west.'

const legacyParams = {
  name: 'get_weather',
  arguments: { city: 'Zürich', units: 'metric', days: 3, verbose: false },
  _meta: { progressToken: 7 },
}
const legacyResult = {
  content: [{ type: 'text', text }],
  structuredContent: { temperature: 14, conditions: 'light rain', wind: { from: 'west', speed: 11.5 } },
  isError: false,
}
const modernParams = {
  ...legacyParams,
  _meta: {
    progressToken: 7,
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'example-client', version: '1.4.2', title: 'Example' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {}, url: {} }, sampling: {} },
  },
}
const modernResult = {
  ...legacyResult,
  resultType: 'complete',
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'example-server', version: '2.0.1' } },
}

async function compare(version: ProtocolVersion, params: object, result: object): Promise<void> {
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const response = JSON.stringify({ jsonrpc: '2.0', id: 1, result })
  const received = { params: JSON.parse(request).params, result: JSON.parse(response).result }
  const measured = await measure([
    { name: 'JSON.parse of request and response', run: () => [JSON.parse(request), JSON.parse(response)] },
    {
      name: 'checkRequest and checkResult',
      run: () => {
        checkRequest('tools/call', version, received.params, 'client')
        return checkResult('tools/call', version, received.result)
      },
    },
    { name: 'checkRequest', run: () => checkRequest('tools/call', version, received.params, 'client') },
    { name: 'checkResult', run: () => checkResult('tools/call', version, received.result) },
    { name: 'sieveResult, nothing to drop', run: () => sieveResult('tools/call', version, received.result) },
  ])
  report(`tools/call at ${version}`, measured)
  const [parse, check] = measured
  if (parse && check) goal('check / JSON.parse', check.nanoseconds / parse.nanoseconds, 0.33)
}

await compare('2025-11-25', legacyParams, legacyResult)
await compare('2026-07-28', modernParams, modernResult)
