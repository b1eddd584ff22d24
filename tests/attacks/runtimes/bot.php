<?php
// The first legal action, after a socket pair, a clock and chance have done what they are for.
function say(array $message): void
{
    fwrite(STDOUT, json_encode($message) . "\n");
}

[$one, $other] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
fwrite($one, "x");
$ready = [$other];
$none = null;
if (stream_select($ready, $none, $none, 5) !== 1 || fread($other, 1) !== "x" || hrtime(true) <= random_int(0, 9)) {
    exit(1);
}
usleep(1000);

say(["type" => "hello", "protocol" => 1, "name" => "php", "version" => "1", "games" => ["draftosaurus"]]);
while (($line = fgets(STDIN)) !== false) {
    $message = json_decode($line, true);
    if ($message["type"] === "start") say(["type" => "ready"]);
    if ($message["type"] === "decide") say(["type" => "move", "id" => $message["id"], "action" => $message["legal"][0]]);
    if ($message["type"] === "bye") break;
}
