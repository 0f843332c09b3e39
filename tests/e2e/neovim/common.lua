-- What the clients of all versions of Neovim have in common.

local function until_true(what, condition)
  if not vim.wait(30000, condition, 20) then
    error(what .. ' did not come')
  end
end

local function text(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
end

-- Open each of the prompts, and return the codes of what is found in it.
local function found_in_prompts()
  local found = {}
  for name in vim.env.PROMPTS:gmatch('[^\n]+') do
    vim.cmd('edit ' .. vim.fn.fnameescape(vim.env.WORKSPACE .. '/' .. name))
    local buffer = vim.api.nvim_get_current_buf()
    until_true('diagnostics of ' .. name, function()
      return #vim.diagnostic.get(buffer) > 0
    end)
    found[name] = vim.tbl_map(function(item)
      return item.code or item.user_data.lsp.code
    end, vim.diagnostic.get(buffer))
  end
  return found
end

return { until_true = until_true, text = text, found_in_prompts = found_in_prompts }
