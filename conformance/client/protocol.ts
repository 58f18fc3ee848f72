// The protocol scenarios.
import { Client } from 'mcpwire'
import { context, options, url } from './environment.ts'
import type { Scenario } from './scenario.ts'

export const protocolScenarios: Record<string, Scenario> = {
  initialize: listTools,
  'request-metadata': listTools,
  'json-schema-ref-no-deref': listTools,

  async tools_call() {
    await using client = await Client.connect(url, options)
    await client.listTools()
    await client.callTool('add_numbers', { a: 5, b: 3 })
  },

  async 'elicitation-sep1034-client-defaults'() {
    // Accepts the defaults of the form.
    const onElicitation = () => ({ action: 'accept' as const, content: {} })
    await using client = await Client.connect(url, { ...options, onElicitation })
    await client.callTool('test_client_elicitation_defaults', {})
  },

  async 'sse-retry'() {
    await using client = await Client.connect(url, options)
    await client.listTools()
    await client.callTool('test_reconnection', {})
  },

  async 'http-standard-headers'() {
    await using client = await Client.connect(url, options)
    for await (const { name } of client.tools()) await client.callTool(name, {})
    for await (const { uri } of client.resources()) await client.readResource(uri)
    for await (const { name } of client.prompts()) await client.getPrompt(name)
  },

  async 'http-custom-headers'() {
    await using client = await Client.connect(url, options)
    await client.listTools()
    for (const call of context['toolCalls'] as { name: string; arguments: Record<string, unknown> }[]) {
      await client.callTool(call.name, call.arguments)
    }
  },

  async 'http-invalid-tool-headers'() {
    await using client = await Client.connect(url, options)
    for await (const { name } of client.tools()) await client.callTool(name, {})
  },

  async 'json-schema-2020-12-preservation'() {
    await using client = await Client.connect(url, options)
    for await (const { name, inputSchema } of client.tools()) {
      if (name === 'json_schema_2020_12_tool') await client.callTool('json_schema_echo', { schema: inputSchema })
    }
  },

  async 'sep-2322-client-request-state'() {
    await using client = await Client.connect(url, options)
    await client.listTools()
    for (const tool of ['echo_state', 'no_state', 'unrelated', 'no_result_type']) {
      await client.callTool(`test_mrtr_${tool}`, {})
    }
  },
}

async function listTools(): Promise<void> {
  await using client = await Client.connect(url, options)
  await client.listTools()
}
