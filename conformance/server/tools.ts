// Tools without questions: each kind of content, progress, log messages, errors.
import { setTimeout as sleep } from 'node:timers/promises'
import { audio, image, type MCPServer, ToolError } from 'mcpwire'
import { z } from 'zod'
import { PNG, WAV } from './samples.ts'

/** The interval between progress notifications. */
const PACE_MS = 50

export function addTools(server: MCPServer): void {
  server.tool('test_simple_text', { description: 'Answers with a line of text.' }, () => {
    return 'This is a simple text response for testing.'
  })

  server.tool('test_image_content', { description: 'Answers with an image.' }, () => image(PNG, 'image/png'))

  server.tool('test_audio_content', { description: 'Answers with a sound.' }, () => audio(WAV, 'audio/wav'))

  server.tool('test_embedded_resource', { description: 'Answers with a resource in its content.' }, () => ({
    type: 'resource',
    resource: {
      uri: 'test://embedded-resource',
      mimeType: 'text/plain',
      text: 'This is an embedded resource content.',
    },
  }))

  server.tool('test_multiple_content_types', { description: 'Answers with text, an image and a resource.' }, () => [
    'Multiple content types test:',
    image(PNG, 'image/png'),
    {
      type: 'resource',
      resource: {
        uri: 'test://mixed-content-resource',
        mimeType: 'application/json',
        text: JSON.stringify({ test: 'data', value: 123 }),
      },
    },
  ])

  server.tool('test_error_handling', { description: 'Always fails.' }, () => {
    throw new ToolError('This tool intentionally returns an error for testing')
  })

  server.tool('test_tool_with_progress', { description: 'Reports progress while it works.' }, async (_args, ctx) => {
    for (const progress of [0, 50, 100]) {
      await ctx.reportProgress(progress, 100, `Completed step ${progress} of 100`)
      await sleep(PACE_MS)
    }
    return 'Worked to the end.'
  })

  server.tool('test_tool_with_logging', { description: 'Logs while it works.' }, async (_args, ctx) => {
    await ctx.log.info('Tool execution started')
    await sleep(PACE_MS)
    await ctx.log.info('Tool processing data')
    await sleep(PACE_MS)
    await ctx.log.info('Tool execution completed')
    return 'Logged three messages.'
  })

  server.tool('test_logging_tool', { description: 'Logs one message.' }, async (_args, ctx) => {
    await ctx.log.info('Only for those who asked for it')
    return 'Logged.'
  })

  server.tool(
    'test_echo_region',
    {
      description: 'Repeats the region, which a gateway can read from a header.',
      input: {
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
      } as const,
    },
    ({ region }) => `Region: ${region ?? 'none'}`,
  )

  addChangingParts(server)
}

/** Tools and prompts that change while a client is subscribed to the lists. */
function addChangingParts(server: MCPServer): void {
  let changes = 0
  const tool = server.tool('test_changing_tool', { description: 'Has changed 0 times.' }, () => `${changes}`)
  const prompt = server.prompt('test_changing_prompt', { description: 'Has changed 0 times.' }, () => `${changes}`)
  const description = () => `Has changed ${++changes} times.`

  server.tool('test_trigger_tool_change', { description: 'Changes a tool.', input: z.object({}) }, () => {
    tool.update({ description: description() })
    return 'A tool has changed.'
  })
  server.tool('test_trigger_prompt_change', { description: 'Changes a prompt.', input: z.object({}) }, () => {
    prompt.update({ description: description() })
    return 'A prompt has changed.'
  })
}
