// docs/project/conformance.md, written from a run.

/** The page: a table of scores, then every scenario with its verdict. */
export function describeRun(legs) {
  const scores = legs.map(({ leg, outcomes }) => {
    const scored = outcomes.filter(({ isScored }) => isScored === true)
    const passed = (list) => `${list.filter(({ verdict }) => verdict === 'pass').length} of ${list.length}`
    const waiting = outcomes.filter(({ verdict }) => verdict === 'waits').length
    return `| ${leg} | ${passed(outcomes)} | ${scored.length === 0 ? '' : passed(scored)} | ${waiting} |`
  })
  return `# Conformance

<!-- Written by \`npm run conformance -- --write\`. -->

The official suite (\`@modelcontextprotocol/conformance\`, at the version that \`package.json\` names) examines
\`conformance/server.ts\` and \`conformance/client.ts\`, which use the public API only. A scenario passes here when it has at
least one success, no failure, no warning, nothing skipped that can be done, every check that it had before, and, run
alone, exit code 0. That is more than the suite asks for.

\`npm run conformance\` runs everything; \`npm test\` runs the server legs and each client scenario alone.

| leg | passed | scored ones passed | wait for an extension |
| --- | --- | --- | --- |
${scores.join('\n')}

${legs.map(describeLeg).join('\n')}`
}

function describeLeg({ leg, outcomes }) {
  const lines = outcomes.map(({ scenario, version, verdict, problems }) => {
    const name = version === undefined ? scenario : `${scenario} (${version})`
    return `- ${name}: ${verdict === 'pass' ? 'pass' : problems[0]}`
  })
  return `## ${leg}\n\n${lines.join('\n')}\n`
}
