// The first legal action, after threads and a timer have done what they are for.
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

public class Bot {
    static String after(String line, String key, String ends) {
        int start = line.indexOf(key) + key.length();
        int end = start;
        while (ends.indexOf(line.charAt(end)) < 0) end++;
        return line.substring(start, end);
    }

    public static void main(String[] words) throws Exception {
        var pool = Executors.newScheduledThreadPool(4);
        int answer = pool.schedule(() -> 42, 1, TimeUnit.MILLISECONDS).get();
        pool.shutdown();
        if (answer != 42) System.exit(1);
        System.out.println("{\"type\":\"hello\",\"protocol\":1,\"name\":\"java\",\"version\":\"1\",\"games\":[\"draftosaurus\"]}");
        var in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String compact = line.replace(": ", ":").replace(", ", ",");
            if (compact.contains("\"type\":\"start\"")) System.out.println("{\"type\":\"ready\"}");
            if (compact.contains("\"type\":\"decide\"")) {
                String id = after(compact, "\"id\":", ",}");
                String action = after(compact, "\"legal\":[\"", "\"");
                System.out.println("{\"type\":\"move\",\"id\":" + id + ",\"action\":\"" + action + "\"}");
            }
            if (compact.contains("\"type\":\"bye\"")) return;
        }
    }
}
