//! A library of learning resources, as an MCP server.
