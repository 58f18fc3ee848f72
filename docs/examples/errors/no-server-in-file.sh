echo "export default 5" > number.js
mcpwire list number.js
