import { expect, it } from 'vitest'
import packageFile from '../../../../package.json' with { type: 'json' }
import { PACKAGE_VERSION } from '../../../../src/types/protocol/package-version.ts'

it('is the version of package.json', () => {
  expect(PACKAGE_VERSION).toBe(packageFile.version)
})
