-- Asks Latchkey whether to let a request through: /etc/haproxy/latchkey.lua, for HAProxy 2.6 and newer.
local PASSED = {
    "accept", "accept-language", "authorization", "cookie", "referer", "sec-fetch-mode", "sec-fetch-site", "user-agent",
    "x-requested-with",
}
-- These are about the connection to Latchkey.
local NOT_PASSED = { ["connection"] = true, ["content-length"] = true, ["keep-alive"] = true, ["transfer-encoding"] = true }

local function answer(txn, answered)
    local reply = txn:reply()
    reply:set_status(answered.status)
    for name, values in pairs(answered.headers or {}) do
        if not NOT_PASSED[name] then
            for _, value in pairs(values) do reply:add_header(name, value) end
        end
    end
    reply:set_body(answered.body or "")
    txn:done(reply)
end

-- Where Latchkey is, the host of the site as it is written out, and the headers that name the visitor, with commas between them.
core.register_action("latchkey", { "http-req" }, function(txn, latchkey, host, names)
    local given, sent = txn.http:req_get_headers(), {}
    for _, name in ipairs(PASSED) do
        if given[name] then
            sent[name] = {}
            for _, value in pairs(given[name]) do table.insert(sent[name], value) end
        end
    end
    sent["x-forwarded-method"] = { txn.sf:method() }
    sent["x-forwarded-proto"] = { "https" }
    sent["x-forwarded-host"] = { host }
    sent["x-forwarded-uri"] = { txn.sf:pathq() }
    sent["x-forwarded-for"] = { txn.sf:src() }
    local url = "http://" .. latchkey .. "/api/authz/forward-auth"
    local asked, answered = pcall(function()
        return core.httpclient():get({ url = url, headers = sent, timeout = 10000 })
    end)
    if not asked or not answered or not answered.status or answered.status < 200 then
        return answer(txn, { status = 503 })
    end
    if answered.status ~= 200 then return answer(txn, answered) end
    for name in names:gmatch("[^,]+") do
        local values = answered.headers[name:lower()]
        -- All of them: an answer without one must not leave that of the visitor.
        txn.http:req_set_header(name, values and values[0] or "")
    end
end, 3)
