mkdir app
touch app/package.json
mcpwire init app --yes
