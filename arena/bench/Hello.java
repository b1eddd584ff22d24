// The least that a bot in Java can be: it says hello, and leaves when the arena does.
class Hello {
    public static void main(String[] words) throws java.io.IOException {
        System.out.println(
            "{\"type\":\"hello\",\"protocol\":1,\"name\":\"java\",\"version\":\"1\",\"games\":[\"draftosaurus\"]}");
        while (System.in.read() >= 0) {
        }
    }
}
