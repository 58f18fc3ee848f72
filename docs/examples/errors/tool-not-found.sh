mcpwire init app --yes --pm bun
