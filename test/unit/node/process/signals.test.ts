// Signals of the process: one module listens to them, for every part of the package.
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { listenForSignals, ShutdownSignals } from '../../../../src/node/process/signals.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

/** Node's name for it: runs the listeners without a signal. */
function deliver(signal: NodeJS.Signals): void {
  process.emit(signal, signal)
}

afterEach(() => vi.restoreAllMocks())

describe('signals are listened to in one place', () => {
  it('no other source file adds a listener for a signal', () => {
    const folders = readdirSync(root).filter((name) => ['src', 'cli', 'packages'].includes(name))
    const sources = folders.flatMap((folder) =>
      readdirSync(resolve(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts') && !/node_modules|\btest\b/.test(name))
        .map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
    )
    const listening = sources
      .toSorted()
      .filter((name) =>
        /process\s*\.(?:on|once|addListener|prepend(?:Once)?Listener)\((?!'(?!SIG))/.test(
          readFileSync(resolve(root, name), 'utf8'),
        ),
      )
    expect(sources.length).toBeGreaterThan(300)
    // The command line is a program of its own and imports nothing from inside the package.
    expect(listening).toEqual(['cli/terminal/signals.ts', 'src/node/process/signals.ts'])
  })

  it('a listener that runs first comes before those that were added earlier', () => {
    const order: string[] = []
    const stops = [
      listenForSignals(['SIGHUP'], () => order.push('earlier')),
      listenForSignals(['SIGHUP'], () => order.push('first'), { runsFirst: true }),
    ]
    deliver('SIGHUP')
    for (const stop of stops) stop()
    expect(order).toEqual(['first', 'earlier'])
    expect(process.listenerCount('SIGHUP')).toBe(0)
  })
})

describe('a shutdown by signals', () => {
  it('begins at the first signal, hears of the next ones, and ends the process by the first', () => {
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
    const events: string[] = []
    const signals = new ShutdownSignals(
      () => events.push('begin'),
      (signal) => events.push(signal),
    )
    deliver('SIGTERM')
    deliver('SIGINT')
    expect(kill).not.toHaveBeenCalled()
    signals.finish()
    expect(events).toEqual(['begin', 'SIGINT'])
    expect(kill.mock.calls).toEqual([[process.pid, 'SIGTERM']])
  })

  it('without a signal ends nothing, and leaves no listener', () => {
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
    const before = process.listenerCount('SIGTERM')
    const signals = new ShutdownSignals(
      () => {},
      () => {},
    )
    signals.finish()
    expect(kill).not.toHaveBeenCalled()
    expect(process.listenerCount('SIGTERM')).toBe(before)
  })
})
