mkdir bin
echo "exit 1" > bin/npm
chmod +x bin/npm
PATH="$PWD/bin:$PATH" mcpwire init app --yes
