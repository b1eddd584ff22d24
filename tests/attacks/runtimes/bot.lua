-- The first legal action, after some memory, a clock and chance have done what they are for.
io.stdout:setvbuf("line")
math.randomseed(os.time())
local many = {}
for number = 1, 100000 do many[number] = { math.random(), os.clock() } end
many = nil
collectgarbage()

print('{"type":"hello","protocol":1,"name":"lua","version":"1","games":["draftosaurus"]}')
for line in io.lines() do
  local kind = line:match('"type": *"(%a+)"')
  if kind == "start" then print('{"type":"ready"}') end
  if kind == "decide" then
    local action = line:match('"legal": *%[ *"([^"]*)"')
    print(string.format('{"type":"move","id":%s,"action":"%s"}', line:match('"id": *(%d+)'), action))
  end
  if kind == "bye" then break end
end
