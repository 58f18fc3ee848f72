// The list of hosts on a terminal: arrows, space and enter, and Ctrl-C leaves it.
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { chooseHosts } from '../../install/choose-hosts.ts'
import { failureOf } from './config-support.ts'

function terminal() {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin })
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 })
  const drawn = new Promise<void>((resolve) => stderr.once('data', () => resolve()))
  return {
    stdin,
    stderr,
    press: async (...keys: string[]) => {
      await drawn
      for (const key of keys) stdin.write(key)
    },
  }
}

const found = async () => ['claude-desktop', 'cursor', 'zed']

describe('the list of hosts', () => {
  it('gives those that were marked', async () => {
    const { stdin, stderr, press } = terminal()
    const chosen = chooseHosts('Add shop to which hosts?', { stdin, stderr }, found)
    await press(' ', '\u001b[B', '\u001b[B', ' ', '\r')
    expect(await chosen).toEqual(['claude-desktop', 'zed'])
  })

  it('Ctrl-C leaves it, and nothing is changed', async () => {
    const { stdin, stderr, press } = terminal()
    const failure = failureOf(() => chooseHosts('Add shop to which hosts?', { stdin, stderr }, found))
    await press('\u0003')
    expect(await failure).toMatchObject({ exitCode: 130 })
  })

  it('is not shown without a terminal, nor without hosts', async () => {
    const { stdin, stderr } = terminal()
    expect(await chooseHosts('?', { stdin: new PassThrough(), stderr }, found)).toBeUndefined()
    expect(await chooseHosts('?', { stdin, stderr }, async () => [])).toBeUndefined()
  })
})
