echo "const = 2" > broken.js
mcpwire list broken.js
