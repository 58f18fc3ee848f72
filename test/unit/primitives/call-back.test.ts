import { describe, expect, it, vi } from 'vitest'
import { FaultReporter } from '../../../src/dispatcher/fault.ts'
import { callBack } from '../../../src/primitives/async/call-back.ts'

describe('callBack', () => {
  const error = new Error('bug')

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw error
      },
    ],
    ['is async and rejects', () => Promise.reject(error)],
    [
      'returns a rejecting promise of another library',
      // biome-ignore lint/suspicious/noThenProperty: a promise of another library
      () => ({ then: (_: unknown, fail: (e: unknown) => void) => fail(error) }),
    ],
  ])('reports a callback that %s', async (_how, callback) => {
    const failed = vi.fn()
    callBack(callback, 1, failed)
    await vi.waitFor(() => expect(failed).toHaveBeenCalledExactlyOnceWith(error))
  })

  it('passes the value, and reports nothing where nothing fails', async () => {
    const failed = vi.fn()
    const callback = vi.fn(async () => {})
    callBack(callback, 5, failed)
    await callback.mock.results[0]?.value
    expect(callback).toHaveBeenCalledExactlyOnceWith(5)
    expect(failed).not.toHaveBeenCalled()
  })
})

describe('FaultReporter.reportCallback', () => {
  it('prints the first failure of a callback where there is no onFault, and names onFault', () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {})
    try {
      const error = new Error('bug')
      const faults = new FaultReporter(undefined)
      const fault = { kind: 'callback-failed', message: 'onStatus of a call threw an error.', error } as const
      faults.reportCallback(fault)
      faults.reportCallback(fault)
      const text = 'mcpwire: onStatus of a call threw an error. (printed once; set onFault to get every fault)'
      expect(print.mock.calls).toEqual([[text, error]])
    } finally {
      print.mockRestore()
    }
  })

  it('prints nothing where there is an onFault', () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {})
    try {
      const onFault = vi.fn()
      new FaultReporter(onFault).reportCallback({ kind: 'callback-failed', message: 'x' })
      expect(onFault).toHaveBeenCalledOnce()
      expect(print).not.toHaveBeenCalled()
    } finally {
      print.mockRestore()
    }
  })
})
