import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url))

export default defineConfig({
  // Tests run the source, not the build.
  resolve: {
    alias: [
      { find: '#platform', replacement: source('node/platform.ts') },
      { find: /^mcpwire$/, replacement: source('exports/index.ts') },
      { find: /^mcpwire\/(.*)$/, replacement: source('exports/$1.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    environment: 'node',
    // Every wait in a test is bounded; a test that needs longer says so itself.
    testTimeout: 15_000,
    hookTimeout: 15_000,
    maxWorkers: 2,
    setupFiles: ['test/setup.ts'],
    // Servers in service write their faults to the standard error, and most of these tests are about faults.
    onConsoleLog: (log) => !log.startsWith('mcpwire: '),
    coverage: { provider: 'v8', include: ['src/**'], reporter: ['text-summary', 'json-summary'] },
  },
})
