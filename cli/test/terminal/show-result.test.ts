import { describe, expect, it } from 'vitest'
import { showContents, showPrompt, showToolResult } from '../../terminal/show-result.ts'

const text = (said: string) => ({ type: 'text' as const, text: said })

describe('results on a terminal', () => {
  it('say once what is said twice', () => {
    expect(showToolResult({ content: [text('{"a":1}')], structuredContent: { a: 1 } })).toBe('{"a":1}')
    expect(showToolResult({ content: [text('3')], structuredContent: { result: 3 } })).toBe('3')
    expect(showToolResult({ content: [text('hi')], structuredContent: { result: 'hi' } })).toBe('hi')
    expect(showToolResult({ content: [text('Sunny')], structuredContent: { sky: 'clear' } })).toBe(
      'Sunny\n{\n  "sky": "clear"\n}',
    )
    expect(showToolResult({ content: [], structuredContent: { a: 1 } })).toBe('{\n  "a": 1\n}')
  })

  it('tell of what cannot be shown', () => {
    const content = [
      { type: 'image' as const, data: 'AAECAw==', mimeType: 'image/png' },
      { type: 'audio' as const, data: '', mimeType: 'audio/wav' },
      { type: 'resource_link' as const, uri: 'note://x', name: 'x' },
      { type: 'resource' as const, resource: { uri: 'note://y', blob: 'AAE=' } },
      { type: 'resource' as const, resource: { uri: 'note://z', text: 'zed' } },
    ]
    expect(showToolResult({ content }).split('\n')).toEqual([
      '[image: image/png, 4 bytes]',
      '[audio: audio/wav, 0 bytes]',
      '[link: x note://x]',
      '[note://y: application/octet-stream, 2 bytes]',
      'zed',
    ])
  })

  it('show contents and prompts', () => {
    expect(showContents({ contents: [{ uri: 'a://b', text: 'one\ntwo' }] })).toBe('one\ntwo')
    expect(
      showPrompt({
        messages: [
          { role: 'user', content: text('Hello') },
          { role: 'assistant', content: text('Hi') },
        ],
      }),
    ).toBe('user: Hello\nassistant: Hi')
  })
})
